// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
package org.anydim;

/** Kinds of reduction. docs/numerics.md has the order of the sums. */
public enum ReduceKind {
  /** sum of x */
  SUM(0),

  /** mean of x */
  MEAN(1),

  /** sum of x * x */
  SUM_SQUARE(2),

  /** sum of |x| */
  L1(3),

  /** square root of the sum of squares */
  L2(4),

  /** product of x */
  PROD(5),

  /** log of the sum */
  LOG_SUM(6),

  /** log of the sum of exp(x) */
  LOG_SUM_EXP(7),

  /** largest x */
  MAX(8),

  /** smallest x */
  MIN(9);

  private static final ReduceKind[] NUMBERED = values();

  private final int number;

  ReduceKind(int number) {
    this.number = number;
  }

  /** The number that the C API has for it. */
  int number() {
    return number;
  }

  static ReduceKind of(int number) {
    for (ReduceKind value : NUMBERED) {
      if (value.number == number) {
        return value;
      }
    }
    throw new AssertionError("ReduceKind has no number " + number);
  }
}
