// SPDX-License-Identifier: Apache-2.0
// What a rule of shapes says of an output.
package org.anydim;

import java.util.Arrays;
import java.util.Objects;

/** What the rule of shapes of a {@link CustomOperator} says of an output: its element type and its dims. */
public final class CustomShape {
  private final DType dtype;
  private final long[] dims;

  private CustomShape(DType dtype, long[] dims) {
    this.dtype = Objects.requireNonNull(dtype, "dtype");
    this.dims = dims;
  }

  /**
   * A dtype and dims.
   *
   * @param dtype the element type
   * @param dims the dims: numbers, a negative number that an input has, or -1 where only a run finds it
   * @return the shape
   */
  public static CustomShape of(DType dtype, long... dims) {
    if (dims.length > Tensor.MAX_RANK) {
      throw AnydimException.invalid("dims has " + dims.length + " entries; expected at most " + Tensor.MAX_RANK);
    }
    return new CustomShape(dtype, dims.clone());
  }

  /**
   * The dtype and the dims of an input.
   *
   * @param input the input, which is not absent
   * @return the shape
   */
  public static CustomShape like(CustomInput input) {
    return new CustomShape(input.dtype(), input.dims());
  }

  /**
   * The element type.
   *
   * @return the element type
   */
  public DType dtype() {
    return dtype;
  }

  /**
   * The dims, outermost first.
   *
   * @return a new array of them
   */
  public long[] dims() {
    return dims.clone();
  }

  @Override
  public String toString() {
    return dtype + Arrays.toString(dims);
  }
}
