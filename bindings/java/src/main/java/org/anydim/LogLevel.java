// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
package org.anydim;

/** Levels of log lines; a level includes those before it. */
public enum LogLevel {
  /** Nothing. */
  NONE(0),

  /** Defects. */
  ERROR(1),

  /** What is probably a mistake, such as a second destroy. The default. */
  WARNING(2),

  /** Loads, growth events. */
  INFO(3),

  /** Every call that failed. */
  DEBUG(4);

  private static final LogLevel[] NUMBERED = values();

  private final int number;

  LogLevel(int number) {
    this.number = number;
  }

  /** The number that the C API has for it. */
  int number() {
    return number;
  }

  static LogLevel of(int number) {
    for (LogLevel value : NUMBERED) {
      if (value.number == number) {
        return value;
      }
    }
    throw new AssertionError("LogLevel has no number " + number);
  }
}
