// SPDX-License-Identifier: Apache-2.0
// Buffers of java.nio that have elements: which element type, their memory, copies of them.
package org.anydim;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.Arrays;

final class TypedBuffers {
  private TypedBuffers() {}

  static DType dtype(Buffer buffer) {
    if (buffer instanceof FloatBuffer) {
      return DType.F32;
    }
    if (buffer instanceof DoubleBuffer) {
      return DType.F64;
    }
    if (buffer instanceof LongBuffer) {
      return DType.I64;
    }
    if (buffer instanceof IntBuffer) {
      return DType.I32;
    }
    if (buffer instanceof ShortBuffer) {
      return DType.I16;
    }
    if (buffer instanceof ByteBuffer) {
      throw AnydimException.invalid("buffer is a ByteBuffer; expected an element type before the dims");
    }
    throw AnydimException.invalid("buffer is a " + buffer.getClass().getSimpleName() + "; expected one of numbers");
  }

  /** Fails for an element type whose elements the buffer cannot hold. */
  static void expect(Buffer buffer, DType dtype) {
    boolean fits = buffer instanceof ByteBuffer ? TensorData.size(dtype) == 1 : dtype == dtype(buffer) || isBitsOf(dtype(buffer), dtype);
    if (!fits) {
      throw AnydimException.invalid("buffer is a " + buffer.getClass().getSimpleName() + ", which has no elements of " + dtype);
    }
  }

  private static boolean isBitsOf(DType integer, DType dtype) {
    return integer != DType.F32 && integer != DType.F64 && NestedArrays.element(dtype) == NestedArrays.element(integer);
  }

  private static ByteOrder order(Buffer buffer) {
    if (buffer instanceof FloatBuffer) {
      return ((FloatBuffer) buffer).order();
    }
    if (buffer instanceof DoubleBuffer) {
      return ((DoubleBuffer) buffer).order();
    }
    if (buffer instanceof LongBuffer) {
      return ((LongBuffer) buffer).order();
    }
    return buffer instanceof IntBuffer ? ((IntBuffer) buffer).order() : ((ShortBuffer) buffer).order();
  }

  /** What is left of a direct buffer. */
  static Memory memory(Buffer buffer, DType dtype, long[] dims) {
    long elements = TensorData.count(dtype, dims);
    if (!buffer.isDirect()) {
      throw AnydimException.invalid("buffer is on the heap; expected a direct buffer, or Tensor.copyOf");
    }
    if (buffer.isReadOnly()) {
      throw AnydimException.invalid("buffer is read-only; expected one that may be written");
    }
    if (order(buffer) != ByteOrder.nativeOrder()) {
      throw AnydimException.invalid(
          "buffer has the order " + order(buffer) + "; expected that of this machine: order(ByteOrder.nativeOrder()) before it is made");
    }
    if (buffer.remaining() < elements) {
      throw AnydimException.invalid(
          "buffer has " + buffer.remaining() + " elements left; " + dtype + Arrays.toString(dims) + " takes " + elements);
    }
    return Memory.of(buffer.slice(), (long) buffer.remaining() * TensorData.size(dtype));
  }

  /** Copies what is left of a buffer; its position stays. */
  static void copy(Buffer from, ByteBuffer to) {
    Buffer part = from.duplicate();
    if (part instanceof FloatBuffer) {
      to.asFloatBuffer().put((FloatBuffer) part);
    } else if (part instanceof DoubleBuffer) {
      to.asDoubleBuffer().put((DoubleBuffer) part);
    } else if (part instanceof LongBuffer) {
      to.asLongBuffer().put((LongBuffer) part);
    } else if (part instanceof IntBuffer) {
      to.asIntBuffer().put((IntBuffer) part);
    } else if (part instanceof ShortBuffer) {
      to.asShortBuffer().put((ShortBuffer) part);
    } else {
      to.put((ByteBuffer) part);
    }
  }
}
