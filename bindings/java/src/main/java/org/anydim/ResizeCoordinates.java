// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
package org.anydim;

/** How a position of resize's output maps to its input (ONNX's names). */
public enum ResizeCoordinates {
  /** (x + 0.5) / scale - 0.5 */
  HALF_PIXEL(0),

  /** as half_pixel, about the centre of what the scale makes of the input */
  HALF_PIXEL_SYMMETRIC(1),

  /** as half_pixel, and 0 where the output has one element */
  PYTORCH_HALF_PIXEL(2),

  /** x * (in - 1) / (out - 1) */
  ALIGN_CORNERS(3),

  /** x / scale */
  ASYMMETRIC(4),

  /** (x + 0.5) / scale */
  TF_HALF_PIXEL_FOR_NN(5),

  /** from the beginning to the end of the region roi, in parts of the input */
  TF_CROP_AND_RESIZE(6);

  private static final ResizeCoordinates[] NUMBERED = values();

  private final int number;

  ResizeCoordinates(int number) {
    this.number = number;
  }

  /** The number that the C API has for it. */
  int number() {
    return number;
  }

  static ResizeCoordinates of(int number) {
    for (ResizeCoordinates value : NUMBERED) {
      if (value.number == number) {
        return value;
      }
    }
    throw new AssertionError("ResizeCoordinates has no number " + number);
  }
}
