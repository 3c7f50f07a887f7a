// SPDX-License-Identifier: Apache-2.0
// The numbers behind a tensor: sizes of types, checked counts of elements, views as C reads them, strides, and elements in row-major order
// from wherever they lie.
package org.anydim;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;

final class TensorData {
  private TensorData() {}

  static int size(DType dtype) {
    switch (dtype) {
      case F64:
      case I64:
      case U64:
        return 8;
      case F32:
      case I32:
      case U32:
        return 4;
      case F16:
      case BF16:
      case I16:
      case U16:
        return 2;
      default:
        return 1;
    }
  }

  /** The number of elements of a tensor; fails for dims that none can have. */
  static long count(DType dtype, long[] dims) {
    Objects.requireNonNull(dtype, "dtype");
    if (dims.length > Tensor.MAX_RANK) {
      throw AnydimException.invalid("dims has " + dims.length + " entries; expected at most " + Tensor.MAX_RANK);
    }
    long count = 1;
    for (int i = 0; i < dims.length; ++i) {
      if (dims[i] < 0) {
        throw AnydimException.invalid("dims[" + i + "] is " + dims[i] + "; expected 0 or more");
      }
      try {
        count = Math.multiplyExact(count, dims[i]);
        Math.multiplyExact(count, (long) size(dtype));
      } catch (ArithmeticException tooLarge) {
        throw AnydimException.invalid("dims[" + i + "] is " + dims[i] + ", which makes the tensor larger than int64_t can count");
      }
    }
    return count;
  }

  /** The image of a row-major view (NativeStructs.View). */
  static long[] image(DType dtype, long address, long[] dims) {
    long[] image = new long[NativeStructs.View.WORDS];
    image[NativeStructs.View.DATA] = address;
    image[NativeStructs.View.DTYPE] = dtype.number();
    image[NativeStructs.View.DIMS] = dims.length;
    System.arraycopy(dims, 0, image, NativeStructs.View.DIMS + NativeStructs.Dims.VALUES, dims.length);
    return image;
  }

  static void expect(DType found, DType expected) {
    if (found != expected) {
      throw AnydimException.invalid("the tensor's elements are " + found + "; expected " + expected + ", or buffer()");
    }
  }

  /** The length of an array, which an int counts. */
  static int length(long count) {
    if (count > Integer.MAX_VALUE - 8) {
      throw AnydimException.of(Status.UNIMPLEMENTED, "an array of Java's cannot have " + count + " elements");
    }
    return (int) count;
  }

  static ByteBuffer buffer(Memory memory, Tensor tensor, long bytes) {
    if (bytes > Integer.MAX_VALUE) {
      throw AnydimException.of(Status.UNIMPLEMENTED, "a buffer of Java's cannot have " + bytes + " bytes");
    }
    if (memory.closed()) {
      throw Tensor.closedFailure();
    }
    ByteBuffer whole = memory.buffer();
    Reference.reachabilityFence(tensor);
    whole.limit((int) bytes);
    return whole;
  }

  /** Copies what a view of the library's shows, row-major. */
  static void copy(long[] view, DType dtype, long[] dims, ByteBuffer to) {
    long[] strides = NativeStructs.dims(view, NativeStructs.View.STRIDES);
    long[] steps = strides.length == dims.length ? strides : rowMajor(dims);
    long last = 0;
    for (int i = 0; i < dims.length; ++i) {
      if (dims[i] == 0) {
        return;
      }
      last += (dims[i] - 1) * steps[i];
    }
    int size = size(dtype);
    int bytes = length((last + 1) * size);
    to.put(rowMajor(NativeMemory.buffer(view[NativeStructs.View.DATA], bytes).order(ByteOrder.nativeOrder()), dims, steps, size));
  }

  static long[] rowMajor(long[] dims) {
    long[] strides = new long[dims.length];
    long stride = 1;
    for (int i = dims.length - 1; i >= 0; --i) {
      strides[i] = stride;
      stride *= Math.max(dims[i], 1);
    }
    return strides;
  }

  /** The buffer itself if its elements are row-major, else a copy of them that is. */
  static ByteBuffer rowMajor(ByteBuffer from, long[] dims, long[] strides, int size) {
    long[] plain = rowMajor(dims);
    boolean same = true;
    for (int i = 0; i < dims.length; ++i) {
      same &= dims[i] <= 1 || strides[i] == plain[i];
    }
    if (same) {
      return from;
    }
    long count = size;
    for (long d : dims) {
      count *= d;
    }
    ByteBuffer to = ByteBuffer.allocate(length(count)).order(from.order());
    long[] at = new long[dims.length];
    while (to.hasRemaining()) {
      long element = 0;
      for (int i = 0; i < dims.length; ++i) {
        element += at[i] * strides[i];
      }
      for (int b = 0; b < size; ++b) {
        to.put(from.get((int) (element * size) + b));
      }
      for (int i = dims.length - 1; i >= 0 && ++at[i] == dims[i]; --i) {
        at[i] = 0;
      }
    }
    to.flip();
    return to;
  }
}
