// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
package org.anydim;

/** Which operand of a matmul, convolution or conv_transpose. */
public enum QuantizedOperand {
  /** Its first input. */
  INPUT_0(0),

  /** Its second input, the weights of a convolution. */
  INPUT_1(1),

  /** Its output. */
  RESULT(2);

  private static final QuantizedOperand[] NUMBERED = values();

  private final int number;

  QuantizedOperand(int number) {
    this.number = number;
  }

  /** The number that the C API has for it. */
  int number() {
    return number;
  }

  static QuantizedOperand of(int number) {
    for (QuantizedOperand value : NUMBERED) {
      if (value.number == number) {
        return value;
      }
    }
    throw new AssertionError("QuantizedOperand has no number " + number);
  }
}
