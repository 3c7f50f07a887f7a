// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
package org.anydim;

/** Interpolations of resize. */
public enum ResizeMode {
  /** The nearest element. */
  NEAREST(0),

  /** Linear in each axis. */
  LINEAR(1),

  /** Cubic in each axis, with coefficient cubic_coeff_a. */
  CUBIC(2);

  private static final ResizeMode[] NUMBERED = values();

  private final int number;

  ResizeMode(int number) {
    this.number = number;
  }

  /** The number that the C API has for it. */
  int number() {
    return number;
  }

  static ResizeMode of(int number) {
    for (ResizeMode value : NUMBERED) {
      if (value.number == number) {
        return value;
      }
    }
    throw new AssertionError("ResizeMode has no number " + number);
  }
}
