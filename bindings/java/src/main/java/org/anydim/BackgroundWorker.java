// SPDX-License-Identifier: Apache-2.0
// The thread that measures plans while others compute.
package org.anydim;

import java.time.Duration;

/**
 * The background worker of this process: measures for what has the policy {@link Reuse#REUSABLE_FIRST}, on one thread of the lowest
 * priority. {@code ANYDIM_WORKER=off} turns it off from the start.
 */
public final class BackgroundWorker {
  private static final int PAUSE = 0;
  private static final int RESUME = 1;
  private static final int TURN_OFF = 2;

  private BackgroundWorker() {}

  /** Lets it rest after the request that it is serving. */
  public static void pause() {
    NativeCalls.workerControl(PAUSE);
  }

  /** Lets it go on. */
  public static void resume() {
    NativeCalls.workerControl(RESUME);
  }

  /** Ends it for the rest of the process. */
  public static void turnOff() {
    NativeCalls.workerControl(TURN_OFF);
  }

  /**
   * Waits until everything that was requested before is done.
   *
   * @param timeout most time to wait
   * @throws AnydimException {@link Status#TIMED_OUT} if it takes longer, or never comes because the worker is paused or off
   */
  public static void drain(Duration timeout) {
    NativeCalls.workerDrain(timeout.toMillis());
  }

  /**
   * Requests that wait or are being served.
   *
   * @return their number
   */
  public static long queued() {
    return NativeCalls.workerQuery().queued;
  }

  /**
   * Requests served.
   *
   * @return their number
   */
  public static long served() {
    return NativeCalls.workerQuery().served;
  }

  /**
   * Whether it is paused.
   *
   * @return whether it is
   */
  public static boolean paused() {
    return NativeCalls.workerQuery().paused != 0;
  }
}
