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
   * Sets the level; lines go to standard error.
   *
   * @param level lines up to this level are made
   */
  public static void set(LogLevel level) {
    NativeCalls.logSet(level.number(), 0, 0, 0);
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
