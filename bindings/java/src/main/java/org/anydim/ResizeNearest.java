// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
package org.anydim;

/** Rounding of resize's nearest mode (ONNX's names). */
public enum ResizeNearest {
  /** to nearest, half down */
  ROUND_PREFER_FLOOR(0),

  /** to nearest, half up */
  ROUND_PREFER_CEIL(1),

  /** down */
  FLOOR(2),

  /** up */
  CEIL(3);

  private static final ResizeNearest[] NUMBERED = values();

  private final int number;

  ResizeNearest(int number) {
    this.number = number;
  }

  /** The number that the C API has for it. */
  int number() {
    return number;
  }

  static ResizeNearest of(int number) {
    for (ResizeNearest value : NUMBERED) {
      if (value.number == number) {
        return value;
      }
    }
    throw new AssertionError("ResizeNearest has no number " + number);
  }
}
