// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
package org.anydim;

/** What may be asked of the memory order of a model's input or output. It changes time, never results. */
public enum EdgeLayout {
  /** The order given as axes. */
  ORDER(0),

  /** The last dim is innermost. What an edge has that nothing is asked of. */
  ROW_MAJOR(1),

  /** Dim 1 is innermost (N, H, W, C in memory). Rank 3 and more. */
  CHANNELS_LAST(2),

  /** The order that its kernels read or write without a copy; the model chooses it. */
  FASTEST(3),

  /**
   * Outputs only: row-major if the input that the output follows is; else as fastest. docs/layouts.md says which
   * input it follows.
   */
  FOLLOW(4);

  private static final EdgeLayout[] NUMBERED = values();

  private final int number;

  EdgeLayout(int number) {
    this.number = number;
  }

  /** The number that the C API has for it. */
  int number() {
    return number;
  }

  static EdgeLayout of(int number) {
    for (EdgeLayout value : NUMBERED) {
      if (value.number == number) {
        return value;
      }
    }
    throw new AssertionError("EdgeLayout has no number " + number);
  }
}
