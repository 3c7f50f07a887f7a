// SPDX-License-Identifier: Apache-2.0
// The exception of every failure of the library.
package org.anydim;

import java.nio.charset.StandardCharsets;

/**
 * A call of the library failed. The message names the argument, the value found and what was expected; {@link #status()} reports what kind
 * of failure it is. Each kind has a class of its own, so that a program can catch one:
 *
 * <pre>{@code
 * try (Outputs y = session.run(inputs)) {
 *   ...
 * } catch (AnydimException.OutOfBounds tooLarge) {
 *   ...
 * }
 * }</pre>
 */
public class AnydimException extends RuntimeException {
  /** An argument is wrong by itself. Its status is {@link Status#INVALID_ARGUMENT}. */
  public static final class InvalidArgument extends AnydimException {
    private static final long serialVersionUID = 1;

    private InvalidArgument(Details details) {
      super(Status.INVALID_ARGUMENT, details);
    }
  }

  /** The object under a call is gone or of the wrong kind. Its status is {@link Status#INVALID_HANDLE}. */
  public static final class InvalidHandle extends AnydimException {
    private static final long serialVersionUID = 1;

    private InvalidHandle(Details details) {
      super(Status.INVALID_HANDLE, details);
    }
  }

  /** Meaningful, but not supported by this build. Its status is {@link Status#UNIMPLEMENTED}. */
  public static final class Unimplemented extends AnydimException {
    private static final long serialVersionUID = 1;

    private Unimplemented(Details details) {
      super(Status.UNIMPLEMENTED, details);
    }
  }

  /** Memory could not be allocated. Its status is {@link Status#OUT_OF_MEMORY}. */
  public static final class OutOfMemory extends AnydimException {
    private static final long serialVersionUID = 1;

    private OutOfMemory(Details details) {
      super(Status.OUT_OF_MEMORY, details);
    }
  }

  /**
   * Another thread is using an object with one user at a time. Its status is {@link Status#BUSY}. {@link TimedOut} and {@link QueueFull}
   * extend it: in all three cases the same call may succeed later.
   */
  public static class Busy extends AnydimException {
    private static final long serialVersionUID = 1;

    private Busy(Status status, Details details) {
      super(status, details);
    }
  }

  /** What was waited for did not come in the time that the call allows. Its status is {@link Status#TIMED_OUT}. */
  public static final class TimedOut extends Busy {
    private static final long serialVersionUID = 1;

    private TimedOut(Details details) {
      super(Status.TIMED_OUT, details);
    }
  }

  /** As many requests wait as {@link Batching#waiting} allows. Its status is {@link Status#QUEUE_FULL}. */
  public static final class QueueFull extends Busy {
    private static final long serialVersionUID = 1;

    private QueueFull(Details details) {
      super(Status.QUEUE_FULL, details);
    }
  }

  /** The object was closed. Its status is {@link Status#CLOSED}. */
  public static final class Closed extends AnydimException {
    private static final long serialVersionUID = 1;

    private Closed(Details details) {
      super(Status.CLOSED, details);
    }
  }

  /** A name that does not exist: an input, an output, a kernel. Its status is {@link Status#NOT_FOUND}. */
  public static class NotFound extends AnydimException {
    private static final long serialVersionUID = 1;

    private NotFound(Status status, Details details) {
      super(status, details);
    }
  }

  /** A file or folder that does not exist. Its status is {@link Status#FILE_NOT_FOUND}. */
  public static final class FileNotFound extends NotFound {
    private static final long serialVersionUID = 1;

    private FileNotFound(Details details) {
      super(Status.FILE_NOT_FOUND, details);
    }
  }

  /** Reading or writing failed. Its status is {@link Status#IO_ERROR}. */
  public static final class IoError extends AnydimException {
    private static final long serialVersionUID = 1;

    private IoError(Details details) {
      super(Status.IO_ERROR, details);
    }
  }

  /** A model that is damaged or breaks its format's rules. Its status is {@link Status#INVALID_MODEL}. */
  public static final class InvalidModel extends AnydimException {
    private static final long serialVersionUID = 1;

    private InvalidModel(Details details) {
      super(Status.INVALID_MODEL, details);
    }
  }

  /** A dim outside the bounds. Its status is {@link Status#OUT_OF_BOUNDS}. */
  public static final class OutOfBounds extends AnydimException {
    private static final long serialVersionUID = 1;

    private OutOfBounds(Details details) {
      super(Status.OUT_OF_BOUNDS, details);
    }
  }

  /** Values found wrong while running; outputs may be partly written. Its status is {@link Status#INVALID_DATA}. */
  public static final class InvalidData extends AnydimException {
    private static final long serialVersionUID = 1;

    private InvalidData(Details details) {
      super(Status.INVALID_DATA, details);
    }
  }

  /** A defect of the library. Its status is {@link Status#INTERNAL}. */
  public static final class Internal extends AnydimException {
    private static final long serialVersionUID = 1;

    private Internal(Details details) {
      super(Status.INTERNAL, details);
    }
  }

  /** In a forked child: an object that cannot be used there. Its status is {@link Status#FORKED}. */
  public static final class Forked extends AnydimException {
    private static final long serialVersionUID = 1;

    private Forked(Details details) {
      super(Status.FORKED, details);
    }
  }

  /** The run was cancelled. Its status is {@link Status#CANCELLED}. */
  public static final class Cancelled extends AnydimException {
    private static final long serialVersionUID = 1;

    private Cancelled(Details details) {
      super(Status.CANCELLED, details);
    }
  }

  /** The engine's device is gone, with all that lay in its memory. Its status is {@link Status#DEVICE_LOST}. */
  public static final class DeviceLost extends AnydimException {
    private static final long serialVersionUID = 1;

    private DeviceLost(Details details) {
      super(Status.DEVICE_LOST, details);
    }
  }

  /** What is known of a failure besides its kind. */
  private static final class Details {
    final String message;
    final String function;
    final String argument;
    final String node;

    Details(String message, String function, String argument, String node) {
      this.message = message;
      this.function = function;
      this.argument = argument;
      this.node = node;
    }
  }

  private static final long serialVersionUID = 1;

  /** What kind of failure it is. */
  private final Status status;

  /** The function of the C API. */
  private final String function;

  /** The argument, as the C API calls it. */
  private final String argument;

  /** The model's node. */
  private final String node;

  private AnydimException(Status status, Details details) {
    super(details.message);
    this.status = status;
    this.function = details.function;
    this.argument = details.argument;
    this.node = details.node;
  }

  static AnydimException of(Status status, String message) {
    return of(status, new Details(message, "", "", ""));
  }

  private static AnydimException of(Status status, Details details) {
    switch (status) {
      case INVALID_ARGUMENT:
        return new InvalidArgument(details);
      case INVALID_HANDLE:
        return new InvalidHandle(details);
      case UNIMPLEMENTED:
        return new Unimplemented(details);
      case OUT_OF_MEMORY:
        return new OutOfMemory(details);
      case BUSY:
        return new Busy(status, details);
      case CLOSED:
        return new Closed(details);
      case NOT_FOUND:
        return new NotFound(status, details);
      case IO_ERROR:
        return new IoError(details);
      case INVALID_MODEL:
        return new InvalidModel(details);
      case OUT_OF_BOUNDS:
        return new OutOfBounds(details);
      case INVALID_DATA:
        return new InvalidData(details);
      case INTERNAL:
        return new Internal(details);
      case FORKED:
        return new Forked(details);
      case CANCELLED:
        return new Cancelled(details);
      case DEVICE_LOST:
        return new DeviceLost(details);
      case TIMED_OUT:
        return new TimedOut(details);
      case QUEUE_FULL:
        return new QueueFull(details);
      case FILE_NOT_FOUND:
        return new FileNotFound(details);
      default:
        return new AnydimException(status, details);
    }
  }

  /** Called by the natives, with what the C API reports of the failure. */
  static Throwable of(int status, byte[] message, byte[] function, byte[] argument, byte[] node) {
    String name = text(function);
    String rawMessage = text(message);
    // People who use the package know its methods, not the functions under them.
    String plain = !name.isEmpty() && rawMessage.startsWith(name + ": ") ? rawMessage.substring(name.length() + 2) : rawMessage;
    AnydimException made = of(Status.of(status), new Details(plain, name, text(argument), text(node)));
    Throwable thrown = CustomCall.thrownWith(plain);
    if (thrown instanceof Error) {
      return thrown;
    }
    if (thrown != null) {
      made.initCause(thrown);
    }
    return made;
  }

  static AnydimException invalid(String message) {
    return of(Status.INVALID_ARGUMENT, message);
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
