// SPDX-License-Identifier: Apache-2.0
// A descriptor of tensors to come.
package org.anydim;

import java.util.Arrays;

/** What is known of a tensor that comes with each call of a primitive: its element type, its dims, and how it lies in memory. */
public final class TensorDesc implements Operand {
  private final DType dtype;
  private final Dim[] dims;
  private final Layout layout;

  private TensorDesc(DType dtype, Layout layout, Dim[] dims) {
    this.dtype = dtype;
    this.layout = layout;
    this.dims = dims.clone();
  }

  /**
   * A descriptor that promises nothing of strides: any are read.
   *
   * @param dtype the element type
   * @param dims the dims, outermost first
   * @return the descriptor
   */
  public static TensorDesc of(DType dtype, Dim... dims) {
    return new TensorDesc(dtype, Layout.STRIDED, dims);
  }

  /**
   * A descriptor of tensors of {@link DType#F32}.
   *
   * @param dims the dims, outermost first
   * @return the descriptor
   */
  public static TensorDesc f32(Dim... dims) {
    return of(DType.F32, dims);
  }

  /**
   * The same descriptor of tensors that lie in a layout.
   *
   * @param layout the layout
   * @return the descriptor
   */
  public TensorDesc layout(Layout layout) {
    return new TensorDesc(dtype, layout, dims);
  }

  int rank() {
    return dims.length;
  }

  /** A handle of the C API, which the caller destroys. */
  long create() {
    return NativeCalls.descCreate(dtype.number(), Dim.images(dims), layout.number());
  }

  @Override
  public String toString() {
    return dtype + Arrays.toString(dims);
  }
}
