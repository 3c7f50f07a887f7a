// SPDX-License-Identifier: Apache-2.0
// Options of a run in a session.
package org.anydim;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** Options of a run. */
public final class RunOptions {
  private int timeoutMs = -1;
  private @Nullable Cancellation cancellation;
  private String[] outputs;

  /** Options with their defaults: wait without limit, all outputs. */
  public RunOptions() {}

  /**
   * How long to wait for a context that is free; then the run fails with {@link Status#TIMED_OUT}. One that has begun is not ended.
   *
   * @param timeout the time, in whole milliseconds
   * @return these options
   */
  public RunOptions timeout(Duration timeout) {
    timeoutMs = (int) Math.min(Integer.MAX_VALUE, Math.max(0, timeout.toMillis()));
    return this;
  }

  /**
   * What ends the run; an interrupt of its thread does, too.
   *
   * @param cancellation the cancellation
   * @return these options
   */
  public RunOptions cancellation(Cancellation cancellation) {
    this.cancellation = cancellation;
    return this;
  }

  /**
   * Which outputs are asked for, and in which order they come back.
   *
   * @param names their names
   * @return these options
   */
  public RunOptions outputs(String... names) {
    outputs = names.clone();
    return this;
  }

  @Override
  public String toString() {
    return "RunOptions[timeout "
        + (timeoutMs < 0 ? "none" : timeoutMs + " ms")
        + ", outputs "
        + (outputs == null ? "all" : Arrays.toString(outputs))
        + (cancellation == null ? "]" : ", " + cancellation + "]");
  }

  /** The same with another cancellation. */
  RunOptions with(@Nullable Cancellation other) {
    RunOptions made = new RunOptions();
    made.timeoutMs = timeoutMs;
    made.outputs = outputs;
    made.cancellation = other;
    return made;
  }

  /** The same with other outputs. */
  RunOptions withOutputs(List<String> names) {
    RunOptions made = with(cancellation);
    made.outputs = names.toArray(new String[0]);
    return made;
  }

  int timeoutMs() {
    return timeoutMs;
  }

  @Nullable Cancellation cancellation() {
    return cancellation;
  }

  /** Null for all. */
  String[] outputNames() {
    return outputs;
  }
}
