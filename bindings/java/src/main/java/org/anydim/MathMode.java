// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
package org.anydim;

/**
 * Math modes: how far arithmetic may be from the order that docs/numerics.md writes down. Set on a primitive, on a
 * layer of a model and on a model; the nearest that is not inherit wins. An operator without kernels of its own in a
 * mode computes in the mode before it: in this build everything is strict, and explanations name the mode of each
 * primitive.
 */
public enum MathMode {
  /** Not set here: a layer has its model's; strict where nothing is set. The default. */
  INHERIT(0),

  /** The same bits from every kernel, on every engine. */
  STRICT(1),

  /** Documented algorithms with a larger error too, where an operator has them. The same bits from every kernel. */
  FAST(2),

  /** Arithmetic in bfloat16 and other narrow types, too. */
  REDUCED(3);

  private static final MathMode[] NUMBERED = values();

  private final int number;

  MathMode(int number) {
    this.number = number;
  }

  /** The number that the C API has for it. */
  int number() {
    return number;
  }

  static MathMode of(int number) {
    for (MathMode value : NUMBERED) {
      if (value.number == number) {
        return value;
      }
    }
    throw new AssertionError("MathMode has no number " + number);
  }
}
