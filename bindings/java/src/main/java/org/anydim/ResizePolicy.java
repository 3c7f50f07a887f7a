// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
package org.anydim;

/** What becomes of the ratio of sides where resize is given sizes. */
public enum ResizePolicy {
  /** Each axis gets its size. */
  STRETCH(0),

  /** One scale for all axes, so that none is larger than its size. */
  NOT_LARGER(1),

  /** One scale for all axes, so that none is smaller than its size. */
  NOT_SMALLER(2);

  private static final ResizePolicy[] NUMBERED = values();

  private final int number;

  ResizePolicy(int number) {
    this.number = number;
  }

  /** The number that the C API has for it. */
  int number() {
    return number;
  }

  static ResizePolicy of(int number) {
    for (ResizePolicy value : NUMBERED) {
      if (value.number == number) {
        return value;
      }
    }
    throw new AssertionError("ResizePolicy has no number " + number);
  }
}
