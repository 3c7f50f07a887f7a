// SPDX-License-Identifier: Apache-2.0
// The exception of every failure of the library.
package org.anydim;

import java.nio.charset.StandardCharsets;

/**
 * A call of the library failed. The message names the argument, the value found and what was expected; {@link #status()} tells what kind
 * of failure it is.
 */
public final class AnydimException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** What kind of failure it is. */
  private final Status status;

  /** The function of the C API. */
  private final String function;

  /** The argument, as the C API calls it. */
  private final String argument;

  /** The model's node. */
  private final String node;

  AnydimException(Status status, String message) {
    this(status, message, "", "", "");
  }

  private AnydimException(Status status, String message, String function, String argument, String node) {
    super(message);
    this.status = status;
    this.function = function;
    this.argument = argument;
    this.node = node;
  }

  /** Called by the natives, with what the C API tells of the failure. */
  static Throwable of(int status, byte[] message, byte[] function, byte[] argument, byte[] node) {
    String name = text(function);
    String told = text(message);
    // People who use the package know its methods, not the functions under them.
    String plain = !name.isEmpty() && told.startsWith(name + ": ") ? told.substring(name.length() + 2) : told;
    return new AnydimException(Status.of(status), plain, name, text(argument), text(node));
  }

  static AnydimException invalid(String message) {
    return new AnydimException(Status.INVALID_ARGUMENT, message);
  }

  private static String text(byte[] utf8) {
    return new String(utf8, StandardCharsets.UTF_8);
  }

  /**
   * What kind of failure it is.
   *
   * @return the status, never {@link Status#OK}
   */
  public Status status() {
    return status;
  }

  /**
   * The function of the C API that failed, such as {@code anydim_session_run}.
   *
   * @return its name; empty if the failure was found before it was called
   */
  public String function() {
    return function;
  }

  /**
   * The argument that is meant, as the C API calls it: {@code options.threads}, {@code inputs[1]}.
   *
   * @return its name; empty where the failure is of none
   */
  public String argument() {
    return argument;
  }

  /**
   * The model's node at which it happened.
   *
   * @return its name; empty where it was at none
   */
  public String node() {
    return node;
  }
}
