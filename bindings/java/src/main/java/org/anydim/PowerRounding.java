// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
package org.anydim;

/** Which power of two stands for a number between two. */
public enum PowerRounding {
  /** The larger one. */
  UP(0),

  /** The smaller one. */
  DOWN(1),

  /** The nearer one, from half way the larger one. */
  NEAREST(2);

  private static final PowerRounding[] NUMBERED = values();

  private final int number;

  PowerRounding(int number) {
    this.number = number;
  }

  /** The number that the C API has for it. */
  int number() {
    return number;
  }

  static PowerRounding of(int number) {
    for (PowerRounding value : NUMBERED) {
      if (value.number == number) {
        return value;
      }
    }
    throw new AssertionError("PowerRounding has no number " + number);
  }
}
