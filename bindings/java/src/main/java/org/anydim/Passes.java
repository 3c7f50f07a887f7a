// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
package org.anydim;

/**
 * Which rewritings a model's graph gets when it is loaded: a means of finding the cause of a result, not of speed.
 * Results with exact and with none have the same bits; all may differ from them by the roundings that
 * docs/numerics.md, section 8, describes.
 */
public enum Passes {
  /** All of them. The default. */
  ALL(0),

  /** Those that cannot change a bit; functions that a model spells out are computed step by step. */
  EXACT(1),

  /** None: each node of the file runs by itself, into memory of its own. */
  NONE(2);

  private static final Passes[] NUMBERED = values();

  private final int number;

  Passes(int number) {
    this.number = number;
  }

  /** The number that the C API has for it. */
  int number() {
    return number;
  }

  static Passes of(int number) {
    for (Passes value : NUMBERED) {
      if (value.number == number) {
        return value;
      }
    }
    throw new AssertionError("Passes has no number " + number);
  }
}
