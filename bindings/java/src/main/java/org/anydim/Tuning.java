// SPDX-License-Identifier: Apache-2.0
// How a context is tuned, and how far that is.
package org.anydim;

import java.util.Objects;

/** How {@link Context#tune} measures. */
public final class Tuning {
  /** Called with how far a tuning is, on the thread that called; it must not use the context. */
  @FunctionalInterface
  public interface Progress {
    /**
     * Called before each node and at the end. An exception ends the tuning and comes out of it.
     *
     * @param done nodes measured
     * @param nodes nodes to measure in all
     * @return whether to go on; if not, the tuning fails with {@link Status#CANCELLED}
     */
    boolean goOn(long done, long nodes);
  }

  private final NativeStructs.TuneOptions raw = new NativeStructs.TuneOptions();
  private Progress progress = (done, nodes) -> true;

  /** With the defaults: what is found is stored in the persistent cache, too. */
  public Tuning() {}

  /**
   * Most time for one node.
   *
   * @param milliseconds the milliseconds; 0, the default, is 200
   * @return this
   */
  public Tuning nodeMilliseconds(int milliseconds) {
    raw.nodeMs = milliseconds;
    return this;
  }

  /**
   * Whether what is found is stored in the persistent cache, for later processes.
   *
   * @param record whether to store it
   * @return this
   */
  public Tuning record(boolean record) {
    raw.record = record ? 1 : 0;
    return this;
  }

  /**
   * Whether nodes that were measured at these shapes before, in this process or an earlier one, are measured again.
   *
   * @param again whether to measure them
   * @return this
   */
  public Tuning again(boolean again) {
    raw.again = again ? 1 : 0;
    return this;
  }

  /**
   * Whom to call with how far the tuning is.
   *
   * @param progress what is called
   * @return this
   */
  public Tuning progress(Progress progress) {
    this.progress = Objects.requireNonNull(progress, "progress");
    return this;
  }

  /** One tuning, and the exception that its progress threw. */
  private static final class Course {
    private final Progress progress;
    private Throwable thrown;

    Course(Progress progress) {
      this.progress = progress;
    }
  }

  interface Call {
    String tune(NativeStructs.TuneOptions options);
  }

  String with(Call call) {
    Course course = new Course(progress);
    NativeStructs.TuneOptions own = new NativeStructs.TuneOptions();
    own.nodeMs = raw.nodeMs;
    own.record = raw.record;
    own.again = raw.again;
    own.progress = NativeCallbacks.tuningProgress();
    own.user = NativeCallbacks.keep(course);
    try {
      return call.tune(own);
    } catch (AnydimException failure) {
      if (course.thrown instanceof RuntimeException) {
        throw (RuntimeException) course.thrown;
      }
      if (course.thrown instanceof Error) {
        throw (Error) course.thrown;
      }
      throw failure;
    } finally {
      NativeCallbacks.forget(own.user);
    }
  }

  /** Called by the natives: 0 goes on. */
  static int progress(Object course, long done, long nodes) {
    try {
      return ((Course) course).progress.goOn(done, nodes) ? 0 : 1;
    } catch (Throwable thrown) {
      ((Course) course).thrown = thrown;
      return 1;
    }
  }
}
