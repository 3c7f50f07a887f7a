// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
package org.anydim;

/** What the pieces of a string are. */
public enum StringRule {
  /** what lies between matches of the first automaton, each piece cut by the next one */
  SEPARATORS(0),

  /** the matches of the automaton */
  TOKENS(1),

  /** what lies between runs of whitespace, of which those at the ends separate nothing */
  WHITESPACE(2),

  /** each character */
  CHARACTERS(3);

  private static final StringRule[] NUMBERED = values();

  private final int number;

  StringRule(int number) {
    this.number = number;
  }

  /** The number that the C API has for it. */
  int number() {
    return number;
  }

  static StringRule of(int number) {
    for (StringRule value : NUMBERED) {
      if (value.number == number) {
        return value;
      }
    }
    throw new AssertionError("StringRule has no number " + number);
  }
}
