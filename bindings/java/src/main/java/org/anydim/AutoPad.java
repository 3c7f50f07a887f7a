// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
package org.anydim;

/** How the padding of a window is determined. */
public enum AutoPad {
  /** By pads_begin and pads_end. */
  EXPLICIT(0),

  /**
   * As much as gives ceil(in / stride) positions (a transposed convolution: in * stride); an odd one goes to the
   * end.
   */
  SAME_UPPER(1),

  /** As same_upper, but an odd one goes to the beginning. */
  SAME_LOWER(2),

  /** None. */
  VALID(3);

  private static final AutoPad[] NUMBERED = values();

  private final int number;

  AutoPad(int number) {
    this.number = number;
  }

  /** The number that the C API has for it. */
  int number() {
    return number;
  }

  static AutoPad of(int number) {
    for (AutoPad value : NUMBERED) {
      if (value.number == number) {
        return value;
      }
    }
    throw new AssertionError("AutoPad has no number " + number);
  }
}
