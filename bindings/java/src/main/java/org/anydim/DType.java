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
  BOOL(13),

  /** 8 bits - 4 of exponent, 3 of fraction; no infinities. Stored, moved and cast only, as all that follow. */
  F8E4M3FN(14),

  /** 8 bits - 4 of exponent, 3 of fraction; no infinities, no negative zero. */
  F8E4M3FNUZ(15),

  /** 8 bits - 5 of exponent, 2 of fraction. */
  F8E5M2(16),

  /** 8 bits - 5 of exponent, 2 of fraction; no infinities, no negative zero. */
  F8E5M2FNUZ(17),

  /** 8 bits of exponent, a power of two. */
  F8E8M0(18),

  /** 4 bits - 2 of exponent, 1 of fraction. One element per byte, in its low bits, as all that follow. */
  F4E2M1(19),

  /** Signed 4 bits. */
  I4(20),

  /** Unsigned 4 bits. */
  U4(21),

  /** Signed 2 bits. */
  I2(22),

  /** Unsigned 2 bits. */
  U2(23);

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
