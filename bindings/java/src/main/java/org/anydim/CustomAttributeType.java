// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
package org.anydim;

/** What an attribute of a node is, and what its data points to. */
public enum CustomAttributeType {
  /** One int64_t or a list of them, as many as count. */
  INTEGERS(1),

  /** One float or a list of them. */
  REALS(2),

  /** One String or a list of them. */
  TEXTS(3),

  /** One tensor as a view, dense and row-major. */
  TENSOR(4);

  private static final CustomAttributeType[] NUMBERED = values();

  private final int number;

  CustomAttributeType(int number) {
    this.number = number;
  }

  /** The number that the C API has for it. */
  int number() {
    return number;
  }

  static CustomAttributeType of(int number) {
    for (CustomAttributeType value : NUMBERED) {
      if (value.number == number) {
        return value;
      }
    }
    throw new AssertionError("CustomAttributeType has no number " + number);
  }
}
