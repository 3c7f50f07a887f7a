// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
package org.anydim;

/** What a call returns. Zero is success. */
public enum Status {
  /** Success. */
  OK(0),

  /** An argument is wrong by itself. */
  INVALID_ARGUMENT(1),

  /** A null, stale, destroyed, foreign or wrong kind of handle. */
  INVALID_HANDLE(2),

  /** Meaningful, but not supported by this build. */
  UNIMPLEMENTED(3),

  /** Memory could not be allocated. */
  OUT_OF_MEMORY(4),

  /** Another thread is using a one-user object. */
  BUSY(5),

  /** The object was destroyed while in use. */
  CLOSED(6),

  /** A name that does not exist (kernel, input, output). */
  NOT_FOUND(7),

  /** Reading or writing failed. */
  IO_ERROR(8),

  /** A model that is damaged or breaks its format's rules. */
  INVALID_MODEL(9),

  /** A dim outside what its descriptor or bounds promise. */
  OUT_OF_BOUNDS(10),

  /** Values found wrong while running; outputs may be partly written. */
  INVALID_DATA(11),

  /** A defect of the library. */
  INTERNAL(12),

  /**
   * In a forked child: another thread of the parent was using the object when it forked, or the object is of a
   * device.
   */
  FORKED(13),

  /** The run was ended from outside: by a cancellation, or by what RunOptions.interrupted said. */
  CANCELLED(14),

  /**
   * The engine's device is gone, with all that lay in its memory. Nothing more can be done with what was made from
   * it.
   */
  DEVICE_LOST(15),

  /**
   * What was waited for did not come within the time that the caller allowed: a context, a batch, the background
   * worker.
   */
  TIMED_OUT(16),

  /** As many requests wait for a batch as may wait. */
  QUEUE_FULL(17),

  /** A file or folder that does not exist. */
  FILE_NOT_FOUND(18);

  private static final Status[] NUMBERED = values();

  private final int number;

  Status(int number) {
    this.number = number;
  }

  /** The number that the C API has for it. */
  int number() {
    return number;
  }

  static Status of(int number) {
    for (Status value : NUMBERED) {
      if (value.number == number) {
        return value;
      }
    }
    throw new AssertionError("Status has no number " + number);
  }
}
