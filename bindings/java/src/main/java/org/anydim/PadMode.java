// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
package org.anydim;

/** What is put where elements are added. */
public enum PadMode {
  /** The pad value. */
  CONSTANT(0),

  /** The elements mirrored about the edge element, which is not repeated. */
  REFLECT(1),

  /** The edge element. */
  EDGE(2),

  /** The elements of the other end. */
  WRAP(3);

  private static final PadMode[] NUMBERED = values();

  private final int number;

  PadMode(int number) {
    this.number = number;
  }

  /** The number that the C API has for it. */
  int number() {
    return number;
  }

  static PadMode of(int number) {
    for (PadMode value : NUMBERED) {
      if (value.number == number) {
        return value;
      }
    }
    throw new AssertionError("PadMode has no number " + number);
  }
}
