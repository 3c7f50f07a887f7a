// SPDX-License-Identifier: Apache-2.0
// What an operator of the program's sees of an input.
package org.anydim;

import java.util.Arrays;

/** An input of a node that a {@link CustomOperator} computes, for the length of a call. */
public final class CustomInput {
  private final int index;
  private final @Nullable DType dtype;
  private final long[] dims;
  private final @Nullable Tensor tensor;

  CustomInput(int index, @Nullable DType dtype, long[] dims, @Nullable Tensor tensor) {
    this.index = index;
    this.dtype = dtype;
    this.dims = dims;
    this.tensor = tensor;
  }

  /**
   * Whether the node leaves it out, as it may an optional input.
   *
   * @return true for an input that is absent: it has neither dtype nor elements
   */
  public boolean isAbsent() {
    return dtype == null;
  }

  /**
   * The element type.
   *
   * @return the element type
   * @throws IllegalStateException for an input that is absent
   */
  public DType dtype() {
    if (dtype == null) {
      throw new IllegalStateException("input " + index + " is absent");
    }
    return dtype;
  }

  /**
   * The dims, outermost first. In the rule of shapes a negative number stands for one that is not known when the model is loaded; equal
   * numbers are the same dim.
   *
   * @return a new array of them; empty for an input that is absent
   */
  public long[] dims() {
    return dims.clone();
  }

  /**
   * Whether the elements are there: in a kernel always but for an absent input, in a rule of shapes those of constants, and all in a run.
   *
   * @return true if {@link #tensor()} gives them
   */
  public boolean isKnown() {
    return tensor != null;
  }

  /**
   * The elements, row-major. The tensor is the library's memory and closed when the call ends; a buffer of it is a copy, which is
   * read-only and stays.
   *
   * @return the tensor
   * @throws IllegalStateException for an input that is absent, or whose elements a run determines
   */
  public Tensor tensor() {
    if (tensor == null) {
      throw new IllegalStateException(
          "input " + index + (dtype == null ? " is absent" : " has no elements yet: only a run determines them"));
    }
    return tensor;
  }

  @Override
  public String toString() {
    return dtype == null ? "absent" : dtype + Arrays.toString(dims);
  }
}
