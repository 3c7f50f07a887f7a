// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
package org.anydim;

/** What a bin of a region becomes. */
public enum RoiMode {
  /** The average of its samples. */
  AVERAGE(0),

  /** The largest of its samples' four weighted elements. */
  MAXIMUM(1),

  /** The largest element in it, with the region's ends rounded to elements. */
  CELLS(2);

  private static final RoiMode[] NUMBERED = values();

  private final int number;

  RoiMode(int number) {
    this.number = number;
  }

  /** The number that the C API has for it. */
  int number() {
    return number;
  }

  static RoiMode of(int number) {
    for (RoiMode value : NUMBERED) {
      if (value.number == number) {
        return value;
      }
    }
    throw new AssertionError("RoiMode has no number " + number);
  }
}
