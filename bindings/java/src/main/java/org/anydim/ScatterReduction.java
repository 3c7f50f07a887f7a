// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
package org.anydim;

/**
 * What an update does to the element that is there. Updates that meet at one element are applied in the order of
 * their logical index.
 */
public enum ScatterReduction {
  /** It replaces it. */
  NONE(0),

  /** It is added. */
  ADD(1),

  /** It is multiplied. */
  MUL(2),

  /** The smaller stays. */
  MIN(3),

  /** The larger stays. */
  MAX(4);

  private static final ScatterReduction[] NUMBERED = values();

  private final int number;

  ScatterReduction(int number) {
    this.number = number;
  }

  /** The number that the C API has for it. */
  int number() {
    return number;
  }

  static ScatterReduction of(int number) {
    for (ScatterReduction value : NUMBERED) {
      if (value.number == number) {
        return value;
      }
    }
    throw new AssertionError("ScatterReduction has no number " + number);
  }
}
