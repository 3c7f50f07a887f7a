// SPDX-License-Identifier: Apache-2.0
// An operator's struct as C has it, written field by field by the generated builders. The C side checks the places when it is compiled.
package org.anydim;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

final class OperatorImage {
  private static final int SPATIAL = 3;
  private static final int MAX_REALS = 16;

  private final ByteBuffer bytes;
  private int spatial;
  private long[] list;
  private int listAt;

  OperatorImage(int kind, int size) {
    bytes = ByteBuffer.allocate((size + 7) / 8 * 8).order(ByteOrder.LITTLE_ENDIAN);
    putInt(0, size);
    putInt(4, kind);
  }

  /** The struct in longs. */
  long[] words() {
    long[] words = new long[bytes.capacity() / 8];
    bytes.asLongBuffer().get(words);
    return words;
  }

  /** A list of any length, which C finds by its address, and the word where that goes; or null. */
  long[] list() {
    return list;
  }

  int listAt() {
    return listAt;
  }

  boolean flag(int at) {
    return bytes.getInt(at) != 0;
  }

  void putFlag(int at, boolean value) {
    bytes.putInt(at, value ? 1 : 0);
  }

  void putInt(int at, int value) {
    bytes.putInt(at, value);
  }

  void putLong(int at, long value) {
    bytes.putLong(at, value);
  }

  void putFloat(int at, float value) {
    bytes.putFloat(at, value);
  }

  void putDouble(int at, double value) {
    bytes.putDouble(at, value);
  }

  /** The number of spatial dims, which follows from the rank of an operand. */
  void putSpatial(int at, Operand operand) {
    if (operand instanceof Weights) {
      throw AnydimException.of(Status.UNIMPLEMENTED, "the first operand is packed weights; expected a descriptor or a tensor");
    }
    int rank = operand instanceof TensorDesc ? ((TensorDesc) operand).rank() : ((Tensor) operand).rank();
    spatial = Math.max(0, rank - 2);
    putInt(at, spatial);
  }

  void putPerSpatial(String name, int at, long... values) {
    if (values.length != 1 && values.length != spatial) {
      throw AnydimException.invalid(name + " has " + values.length + " numbers; expected 1 or " + spatial);
    }
    for (int i = 0; i < Math.min(SPATIAL, Math.max(spatial, 1)); ++i) {
      putLong(at + 8 * i, values[values.length == 1 ? 0 : i]);
    }
  }

  void putBothEnds(String name, int begin, int end, long... values) {
    if (values.length == 2 * spatial && spatial <= SPATIAL) {
      for (int i = 0; i < spatial; ++i) {
        putLong(begin + 8 * i, values[i]);
        putLong(end + 8 * i, values[spatial + i]);
      }
    } else if (values.length == 1 || values.length == spatial) {
      putPerSpatial(name, begin, values);
      putPerSpatial(name, end, values);
    } else {
      throw AnydimException.invalid(
          name + " has " + values.length + " numbers; expected 1, " + spatial + " or " + 2 * spatial);
    }
  }

  void putDims(String name, int at, long... values) {
    if (values.length > Tensor.MAX_RANK) {
      throw AnydimException.invalid(name + " has " + values.length + " numbers; expected at most " + Tensor.MAX_RANK);
    }
    putInt(at, values.length);
    for (int i = 0; i < values.length; ++i) {
      putLong(at + 8 * (1 + i), values[i]);
    }
  }

  void putReals(String name, int at, float... values) {
    if (values.length > MAX_REALS) {
      throw AnydimException.invalid(name + " has " + values.length + " numbers; expected at most " + MAX_REALS);
    }
    putInt(at, values.length);
    for (int i = 0; i < values.length; ++i) {
      putFloat(at + 8 + 4 * i, values[i]);
    }
  }

  void putList(int at, long... values) {
    list = values.clone();
    listAt = at / 8;
  }
}
