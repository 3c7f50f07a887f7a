// SPDX-License-Identifier: Apache-2.0
// Arrays of arrays (float[][][]) to and from elements in row-major order.
package org.anydim;

import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.util.Arrays;

final class NestedArrays {
  private NestedArrays() {}

  /** The type of the elements in the innermost arrays. */
  static Class<?> element(Object nested, String what) {
    Class<?> type = nested.getClass();
    while (type.isArray()) {
      type = type.getComponentType();
    }
    if (!type.isPrimitive() || type == char.class) {
      throw AnydimException.invalid(what + " is of " + nested.getClass().getTypeName() + "; expected arrays of numbers or of booleans");
    }
    return type;
  }

  /** The dims. An array in a dim whose neighbours have another length is refused when it is copied. */
  static long[] dims(Object nested) {
    long[] dims = new long[Tensor.MAX_RANK];
    int rank = 0;
    for (Object at = nested; at != null && at.getClass().isArray(); at = Array.getLength(at) > 0 ? Array.get(at, 0) : null) {
      if (rank == dims.length) {
        throw AnydimException.invalid("the arrays have a rank above " + Tensor.MAX_RANK);
      }
      dims[rank++] = Array.getLength(at);
    }
    // Below a dim of 0 there is no array to ask.
    int depth = 0;
    for (Class<?> type = nested.getClass(); type.isArray(); type = type.getComponentType()) {
      ++depth;
    }
    return Arrays.copyOf(dims, Math.min(depth, dims.length));
  }

  /** The element type that Java's type has in a tensor; byte is I8 and boolean is BOOL. */
  static DType dtype(Class<?> element) {
    if (element == float.class) {
      return DType.F32;
    }
    if (element == double.class) {
      return DType.F64;
    }
    if (element == int.class) {
      return DType.I32;
    }
    if (element == long.class) {
      return DType.I64;
    }
    if (element == short.class) {
      return DType.I16;
    }
    return element == byte.class ? DType.I8 : DType.BOOL;
  }

  /** Java's type for the elements of a tensor: unsigned integers and what Java has no type for come as their bits. */
  static Class<?> element(DType dtype) {
    switch (dtype) {
      case F32:
        return float.class;
      case F64:
        return double.class;
      case I32:
      case U32:
        return int.class;
      case I64:
      case U64:
        return long.class;
      case I16:
      case U16:
      case F16:
      case BF16:
        return short.class;
      case BOOL:
        return boolean.class;
      default:
        return byte.class;
    }
  }

  /** Puts the elements behind one another. */
  static void write(Object nested, long[] dims, int at, ByteBuffer to) {
    int length = Array.getLength(nested);
    if (length != dims[at]) {
      throw AnydimException.invalid(
          "an array in dim " + at + " has " + length + " entries; expected " + dims[at] + ", as many as the first one there");
    }
    if (at + 1 < dims.length) {
      for (int i = 0; i < length; ++i) {
        Object inner = Array.get(nested, i);
        if (inner == null) {
          throw new NullPointerException("an array in dim " + (at + 1));
        }
        write(inner, dims, at + 1, to);
      }
      return;
    }
    if (nested instanceof float[]) {
      to.asFloatBuffer().put((float[]) nested);
      to.position(to.position() + length * 4);
    } else if (nested instanceof double[]) {
      to.asDoubleBuffer().put((double[]) nested);
      to.position(to.position() + length * 8);
    } else if (nested instanceof int[]) {
      to.asIntBuffer().put((int[]) nested);
      to.position(to.position() + length * 4);
    } else if (nested instanceof long[]) {
      to.asLongBuffer().put((long[]) nested);
      to.position(to.position() + length * 8);
    } else if (nested instanceof short[]) {
      to.asShortBuffer().put((short[]) nested);
      to.position(to.position() + length * 2);
    } else if (nested instanceof byte[]) {
      to.put((byte[]) nested);
    } else {
      for (boolean b : (boolean[]) nested) {
        to.put((byte) (b ? 1 : 0));
      }
    }
  }

  /** Takes elements behind one another into arrays of these dims. */
  static Object read(Class<?> element, long[] dims, int at, ByteBuffer from) {
    int length = TensorData.length(dims[at]);
    if (at + 1 == dims.length) {
      return row(element, length, from);
    }
    Class<?> inner = Array.newInstance(element, new int[dims.length - at - 1]).getClass();
    Object array = Array.newInstance(inner, length);
    for (int i = 0; i < length; ++i) {
      Array.set(array, i, read(element, dims, at + 1, from));
    }
    return array;
  }

  static Object row(Class<?> element, int length, ByteBuffer from) {
    if (element == float.class) {
      float[] row = new float[length];
      from.asFloatBuffer().get(row);
      from.position(from.position() + length * 4);
      return row;
    }
    if (element == double.class) {
      double[] row = new double[length];
      from.asDoubleBuffer().get(row);
      from.position(from.position() + length * 8);
      return row;
    }
    if (element == int.class) {
      int[] row = new int[length];
      from.asIntBuffer().get(row);
      from.position(from.position() + length * 4);
      return row;
    }
    if (element == long.class) {
      long[] row = new long[length];
      from.asLongBuffer().get(row);
      from.position(from.position() + length * 8);
      return row;
    }
    if (element == short.class) {
      short[] row = new short[length];
      from.asShortBuffer().get(row);
      from.position(from.position() + length * 2);
      return row;
    }
    if (element == byte.class) {
      byte[] row = new byte[length];
      from.get(row);
      return row;
    }
    boolean[] row = new boolean[length];
    for (int i = 0; i < length; ++i) {
      row[i] = from.get() != 0;
    }
    return row;
  }
}
