// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
package org.anydim;

/** Which way a recurrent layer takes the steps of a sequence. */
public enum RecurrentDirection {
  /** From the first to the last. */
  FORWARD(0),

  /** From the last to the first. */
  REVERSE(1),

  /** Both: two cells with weights and states of their own. */
  BIDIRECTIONAL(2);

  private static final RecurrentDirection[] NUMBERED = values();

  private final int number;

  RecurrentDirection(int number) {
    this.number = number;
  }

  /** The number that the C API has for it. */
  int number() {
    return number;
  }

  static RecurrentDirection of(int number) {
    for (RecurrentDirection value : NUMBERED) {
      if (value.number == number) {
        return value;
      }
    }
    throw new AssertionError("RecurrentDirection has no number " + number);
  }
}
