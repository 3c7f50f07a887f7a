// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
package org.anydim;

/** Which element an index is asked of. */
public enum ArgReduceKind {
  /** The largest; NaN counts as larger than any number. */
  MAX(0),

  /** The smallest; NaN counts as smaller than any number. */
  MIN(1);

  private static final ArgReduceKind[] NUMBERED = values();

  private final int number;

  ArgReduceKind(int number) {
    this.number = number;
  }

  /** The number that the C API has for it. */
  int number() {
    return number;
  }

  static ArgReduceKind of(int number) {
    for (ArgReduceKind value : NUMBERED) {
      if (value.number == number) {
        return value;
      }
    }
    throw new AssertionError("ArgReduceKind has no number " + number);
  }
}
