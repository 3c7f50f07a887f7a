// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
package org.anydim;

/** Interpolations of grid_sample. */
public enum GridSampleMode {
  /** The nearest element, ties to even positions. */
  NEAREST(0),

  /** Linear in each axis. */
  LINEAR(1),

  /** Cubic in each axis, with Keys' weights of -0.75. */
  CUBIC(2);

  private static final GridSampleMode[] NUMBERED = values();

  private final int number;

  GridSampleMode(int number) {
    this.number = number;
  }

  /** The number that the C API has for it. */
  int number() {
    return number;
  }

  static GridSampleMode of(int number) {
    for (GridSampleMode value : NUMBERED) {
      if (value.number == number) {
        return value;
      }
    }
    throw new AssertionError("GridSampleMode has no number " + number);
  }
}
