// SPDX-License-Identifier: Apache-2.0
// A call of an operator as the description has it, for the generated OperatorExamples.
package org.anydim;

import java.util.List;
import java.util.function.BiFunction;

final class OperatorExample {
  /** An input: dims of two calls, limits of integers, and whether it is usually constant. */
  static final class Input {
    final DType dtype;
    final long[] dims;
    final long[] otherDims;
    final int low;
    final int high;
    final boolean constant;

    Input(DType dtype, long[] dims, long[] otherDims, int low, int high, boolean constant) {
      this.dtype = dtype;
      this.dims = dims;
      this.otherDims = otherDims;
      this.low = low;
      this.high = high;
      this.constant = constant;
    }
  }

  final String kind;
  final BiFunction<Engine, Operand[], OperatorBuilder<?>> builder;
  final List<Input> inputs;

  OperatorExample(String kind, BiFunction<Engine, Operand[], OperatorBuilder<?>> builder, Input... inputs) {
    this.kind = kind;
    this.builder = builder;
    this.inputs = List.of(inputs);
  }

  @Override
  public String toString() {
    return kind;
  }
}
