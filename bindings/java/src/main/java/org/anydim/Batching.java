// SPDX-License-Identifier: Apache-2.0
// Options and numbers of the batching of a session.
package org.anydim;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * How runs of many callers of a {@link Session} are joined along the batch axis.
 *
 * <pre>{@code
 * try (Session cls = Session.open(cpu, Path.of("cls.onnx"), Session.options().batching(new Batching().rows(16)))) {
 *   // any number of threads call cls.run
 * }
 * }</pre>
 */
public final class Batching {
  private final NativeStructs.BatchingOptions raw = new NativeStructs.BatchingOptions();

  /** The defaults: at most 8 rows, a millisecond, and 1,024 requests that wait. */
  public Batching() {}

  /**
   * Most rows of a batch. A request with more runs by itself.
   *
   * @param rows their number
   * @return these options
   */
  public Batching rows(int rows) {
    raw.rows = rows;
    return this;
  }

  /**
   * Longest wait for requests that may be expected.
   *
   * @param longest how long
   * @return these options
   */
  public Batching longestWait(Duration longest) {
    raw.waitUs = TimeUnit.NANOSECONDS.toMicros(longest.toNanos());
    return this;
  }

  /**
   * Most requests that wait; further ones get {@link Status#QUEUE_FULL} at once.
   *
   * @param waiting their number
   * @return these options
   */
  public Batching waiting(int waiting) {
    raw.waiting = waiting;
    return this;
  }

  @Override
  public String toString() {
    return "Batching[rows " + raw.rows + ", longest wait " + raw.waitUs + " us, waiting " + raw.waiting + "]";
  }

  NativeStructs.BatchingOptions raw() {
    return raw;
  }

  /** What the batching of a session did since it was started first, and does now. */
  public static final class Info {
    private final NativeStructs.BatchingInfo info;

    Info(NativeStructs.BatchingInfo info) {
      this.info = info;
    }

    /**
     * Whether runs are joined now.
     *
     * @return whether they are
     */
    public boolean started() {
      return info.started != 0;
    }

    /**
     * Requests that wait now.
     *
     * @return their number
     */
    public long waiting() {
      return info.waiting;
    }

    /**
     * Batches that run now.
     *
     * @return their number
     */
    public long running() {
      return info.running;
    }

    /**
     * Requests that ended well.
     *
     * @return their number
     */
    public long requests() {
      return info.requests;
    }

    /**
     * Rows of requests that ended well.
     *
     * @return their number
     */
    public long rows() {
      return info.rows;
    }

    /**
     * Batches that requests ran in; one that ran by itself counts.
     *
     * @return their number
     */
    public long batches() {
      return info.batches;
    }

    /**
     * Rows of the largest batch.
     *
     * @return their number
     */
    public long largestBatch() {
      return info.largestBatch;
    }

    /**
     * Requests that failed in a run.
     *
     * @return their number
     */
    public long failed() {
      return info.failed;
    }

    /**
     * Requests that were cancelled.
     *
     * @return their number
     */
    public long cancelled() {
      return info.cancelled;
    }

    /**
     * Requests whose time was over before their batch began.
     *
     * @return their number
     */
    public long late() {
      return info.late;
    }

    /**
     * Requests that found too many waiting.
     *
     * @return their number
     */
    public long refused() {
      return info.refused;
    }

    /**
     * From a request's call to its end: half of the last 4,096 took no longer.
     *
     * @return nanoseconds
     */
    public long p50Nanos() {
      return info.p50Ns;
    }

    /**
     * From a request's call to its end: 99 in 100 of the last 4,096 took no longer.
     *
     * @return nanoseconds
     */
    public long p99Nanos() {
      return info.p99Ns;
    }

    /**
     * Rows a second, from the beginning of the last 4,096 requests to now.
     *
     * @return their number
     */
    public long rowsPerSecond() {
      return info.rowsPerSecond;
    }
  }
}
