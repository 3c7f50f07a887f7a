// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
package org.anydim;

/** How the elements of a tensor lie in memory. */
public enum Layout {
  /** Densely, the last dim innermost (N, C, H, W in memory). */
  ROW_MAJOR(0),

  /** Densely, dim 1 innermost (N, H, W, C in memory). Rank 3 and more. */
  CHANNELS_LAST(1),

  /** By strides. Tensors of such a descriptor may have any strides. */
  STRIDED(2),

  /** As it costs no copy: the library chooses. Of a descriptor: as strided. */
  ANY(3),

  /** Of outputs: row-major where the input that they follow is; else as any. */
  FOLLOW(4);

  private static final Layout[] NUMBERED = values();

  private final int number;

  Layout(int number) {
    this.number = number;
  }

  /** The number that the C API has for it. */
  int number() {
    return number;
  }

  static Layout of(int number) {
    for (Layout value : NUMBERED) {
      if (value.number == number) {
        return value;
      }
    }
    throw new AssertionError("Layout has no number " + number);
  }
}
