// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
package org.anydim;

/** Kinds of pooling. */
public enum PoolingKind {
  /** The largest element; NaN if any is. */
  MAX(0),

  /** The mean of the elements. */
  AVERAGE(1);

  private static final PoolingKind[] NUMBERED = values();

  private final int number;

  PoolingKind(int number) {
    this.number = number;
  }

  /** The number that the C API has for it. */
  int number() {
    return number;
  }

  static PoolingKind of(int number) {
    for (PoolingKind value : NUMBERED) {
      if (value.number == number) {
        return value;
      }
    }
    throw new AssertionError("PoolingKind has no number " + number);
  }
}
