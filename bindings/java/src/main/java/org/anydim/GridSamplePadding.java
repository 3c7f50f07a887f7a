// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
package org.anydim;

/** What is read outside the input of grid_sample. */
public enum GridSamplePadding {
  /** Zeros. */
  ZEROS(0),

  /** The nearest element of the edge. */
  BORDER(1),

  /** The input mirrored at its edges. */
  REFLECTION(2);

  private static final GridSamplePadding[] NUMBERED = values();

  private final int number;

  GridSamplePadding(int number) {
    this.number = number;
  }

  /** The number that the C API has for it. */
  int number() {
    return number;
  }

  static GridSamplePadding of(int number) {
    for (GridSamplePadding value : NUMBERED) {
      if (value.number == number) {
        return value;
      }
    }
    throw new AssertionError("GridSamplePadding has no number " + number);
  }
}
