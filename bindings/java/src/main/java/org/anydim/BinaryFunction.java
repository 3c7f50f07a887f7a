// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
package org.anydim;

/** Functions of two elements; shapes broadcast as in NumPy. */
public enum BinaryFunction {
  /** a + b */
  ADD(0),

  /** a - b */
  SUB(1),

  /** a * b */
  MUL(2),

  /** a / b */
  DIV(3),

  /** the smaller; NaN if either is */
  MIN(4),

  /** the larger; NaN if either is */
  MAX(5),

  /** a to the power of b */
  POW(6),

  /** a &lt; 0 ? b * a : a */
  PRELU(7),

  /** remainder with the sign of b */
  MOD_FLOOR(8),

  /** remainder with the sign of a */
  MOD_TRUNC(9),

  /** a == b (to bool) */
  EQUAL(10),

  /** a &lt; b (to bool) */
  LESS(11),

  /** a &lt;= b (to bool) */
  LESS_EQUAL(12),

  /** a &gt; b (to bool) */
  GREATER(13),

  /** a &gt;= b (to bool) */
  GREATER_EQUAL(14),

  /** a and b (bool) */
  LOGICAL_AND(15),

  /** a or b (bool) */
  LOGICAL_OR(16),

  /** a xor b (bool) */
  LOGICAL_XOR(17),

  /** a &amp; b (integers) */
  BITWISE_AND(18),

  /** a | b (integers) */
  BITWISE_OR(19),

  /** a ^ b (integers) */
  BITWISE_XOR(20),

  /** a &lt;&lt; b (unsigned integers) */
  SHIFT_LEFT(21),

  /** a &gt;&gt; b (unsigned integers) */
  SHIFT_RIGHT(22);

  private static final BinaryFunction[] NUMBERED = values();

  private final int number;

  BinaryFunction(int number) {
    this.number = number;
  }

  /** The number that the C API has for it. */
  int number() {
    return number;
  }

  static BinaryFunction of(int number) {
    for (BinaryFunction value : NUMBERED) {
      if (value.number == number) {
        return value;
      }
    }
    throw new AssertionError("BinaryFunction has no number " + number);
  }
}
