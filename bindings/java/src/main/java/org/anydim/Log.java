// SPDX-License-Identifier: Apache-2.0
// Where log lines of the library go.
package org.anydim;

import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * Log lines of the library: which are made and who gets them. Without a call of {@link #set}, those up to the level in the
 * variable {@code ANYDIM_LOG} (warning if it is not set) are written to standard error.
 */
public final class Log {
  /** Gets log lines. */
  @FunctionalInterface
  public interface Sink {
    /**
     * A line. Any thread may call, several at once. It must not call Anydim. An exception is printed and ends here.
     *
     * @param level how serious it is
     * @param line the line, without its end
     */
    void line(LogLevel level, String line);
  }

  private Log() {}

  /**
   * Sets the level and who gets the lines, in place of whoever got them before.
   *
   * @param level lines up to this level are made
   * @param sink gets each line
   */
  public static void set(LogLevel level, Sink sink) {
    Objects.requireNonNull(sink, "sink");
    long kept = NativeCallbacks.keep(sink);
    try {
      NativeCalls.logSet(level.number(), NativeCallbacks.logLine(), kept, NativeCallbacks.finalizer());
    } catch (Throwable failure) {
      NativeCallbacks.forget(kept);
      throw failure;
    }
  }

  /**
   * Sends the lines to a logger of the platform, {@code System.getLogger("org.anydim")} by default behind {@link #toSystemLogger()}: errors
   * and warnings as such, info as INFO, debug as DEBUG. The level is what the logger wants at this moment, so call it after the logger's
   * configuration.
   *
   * @param logger the logger
   */
  public static void set(System.Logger logger) {
    Objects.requireNonNull(logger, "logger");
    LogLevel level = LogLevel.NONE;
    for (LogLevel wanted : LogLevel.values()) {
      if (wanted != LogLevel.NONE && logger.isLoggable(levelOf(wanted))) {
        level = wanted;
      }
    }
    set(level, (of, line) -> logger.log(levelOf(of), line));
  }

  /** Sends the lines to {@code System.getLogger("org.anydim")}: see {@link #set(System.Logger)}. */
  public static void toSystemLogger() {
    set(System.getLogger("org.anydim"));
  }

  private static System.Logger.Level levelOf(LogLevel level) {
    switch (level) {
      case ERROR:
        return System.Logger.Level.ERROR;
      case WARNING:
        return System.Logger.Level.WARNING;
      case INFO:
        return System.Logger.Level.INFO;
      default:
        return System.Logger.Level.DEBUG;
    }
  }

  /**
   * Sets the level; lines go to standard error.
   *
   * @param level lines up to this level are made
   */
  public static void set(LogLevel level) {
    NativeCalls.logSet(level.number(), 0, 0, 0);
  }

  /**
   * Sets the level; who gets the lines stays.
   *
   * @param level lines up to this level are made
   */
  public static void level(LogLevel level) {
    NativeCalls.logSetLevel(level.number());
  }

  /**
   * Sets which verbose lines are written ({@code docs/verbose.md}), to standard error or where {@code ANYDIM_VERBOSE_FILE} says.
   *
   * @param level 0 for none, 1 for one line per execution, 2 for one per creation, too
   */
  public static void verbose(int level) {
    NativeCalls.verboseSet(level);
  }

  /** Called by the natives. */
  static void line(Object sink, int level, byte[] text) {
    ((Sink) sink).line(LogLevel.of(level), new String(text, StandardCharsets.UTF_8));
  }
}
