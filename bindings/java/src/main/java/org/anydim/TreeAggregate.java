// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
package org.anydim;

/** What the weights that trees give a target become. */
public enum TreeAggregate {
  /** Their sum. */
  SUM(0),

  /** Their sum divided by the number of trees. */
  AVERAGE(1),

  /** The smallest; 0 where no tree has one. */
  MINIMUM(2),

  /** The largest; 0 where no tree has one. */
  MAXIMUM(3);

  private static final TreeAggregate[] NUMBERED = values();

  private final int number;

  TreeAggregate(int number) {
    this.number = number;
  }

  /** The number that the C API has for it. */
  int number() {
    return number;
  }

  static TreeAggregate of(int number) {
    for (TreeAggregate value : NUMBERED) {
      if (value.number == number) {
        return value;
      }
    }
    throw new AssertionError("TreeAggregate has no number " + number);
  }
}
