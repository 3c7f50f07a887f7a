// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
package org.anydim;

/** Cells of recurrent layers. */
public enum RecurrentCell {
  /** The plain cell: one function of a sum. */
  RNN(0),

  /** Long short-term memory: three gates and a cell state. */
  LSTM(1),

  /** Gated recurrent unit: two gates. */
  GRU(2);

  private static final RecurrentCell[] NUMBERED = values();

  private final int number;

  RecurrentCell(int number) {
    this.number = number;
  }

  /** The number that the C API has for it. */
  int number() {
    return number;
  }

  static RecurrentCell of(int number) {
    for (RecurrentCell value : NUMBERED) {
      if (value.number == number) {
        return value;
      }
    }
    throw new AssertionError("RecurrentCell has no number " + number);
  }
}
