// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
package org.anydim;

/** What the channels of depth_to_space are made of. */
public enum DepthToSpaceOrder {
  /** Block row, block column, depth (ONNX: DCR). */
  DEPTH_FIRST(0),

  /** Depth, block row, block column (ONNX: CRD). */
  COLUMN_FIRST(1);

  private static final DepthToSpaceOrder[] NUMBERED = values();

  private final int number;

  DepthToSpaceOrder(int number) {
    this.number = number;
  }

  /** The number that the C API has for it. */
  int number() {
    return number;
  }

  static DepthToSpaceOrder of(int number) {
    for (DepthToSpaceOrder value : NUMBERED) {
      if (value.number == number) {
        return value;
      }
    }
    throw new AssertionError("DepthToSpaceOrder has no number " + number);
  }
}
