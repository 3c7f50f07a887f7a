// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
package org.anydim;

/** Element types. */
public enum DType {
  /** IEEE binary32. */
  F32(1),

  /** IEEE binary64. */
  F64(2),

  /** IEEE binary16. */
  F16(3),

  /** bfloat16 - the upper half of a binary32. */
  BF16(4),

  /** Signed 8 bits. */
  I8(5),

  /** Unsigned 8 bits. */
  U8(6),

  /** Signed 16 bits. */
  I16(7),

  /** Unsigned 16 bits. */
  U16(8),

  /** Signed 32 bits. */
  I32(9),

  /** Unsigned 32 bits. */
  U32(10),

  /** Signed 64 bits. */
  I64(11),

  /** Unsigned 64 bits. */
  U64(12),

  /** One byte, 0 or 1. */
  BOOL(13);

  private static final DType[] NUMBERED = values();

  private final int number;

  DType(int number) {
    this.number = number;
  }

  /** The number that the C API has for it. */
  int number() {
    return number;
  }

  static DType of(int number) {
    for (DType value : NUMBERED) {
      if (value.number == number) {
        return value;
      }
    }
    throw new AssertionError("DType has no number " + number);
  }
}
