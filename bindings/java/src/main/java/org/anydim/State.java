// SPDX-License-Identifier: Apache-2.0
// States: what one sequence of a session's runs remembers.
package org.anydim;

import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Caches of keys and values, recurrent states: what a step of a sequence hands on to the next. The states of a session run beside each
 * other on its contexts; a state has one user at a time.
 *
 * <pre>{@code
 * try (State state = State.of(session, 2048)) {
 *   state.add("past.key", "present.key", 2);
 *   state.add("past.value", "present.value", 2);
 *   try (Outputs logits = state.step(Map.of("input_ids", prompt))) { ... }
 * }
 * }</pre>
 */
public final class State extends NativeObject {
  /** For a part that does not grow. */
  public static final int NO_AXIS = -1;

  private static final RunOptions DEFAULTS = new RunOptions();

  /** A state's sizes and counters. */
  public static final class Info {
    private final NativeStructs.StateInfo info;

    private Info(NativeStructs.StateInfo info) {
      this.info = info;
    }

    /**
     * Parts that steps append to, or write, where they lie.
     *
     * @return their number
     */
    public int inPlace() {
      return info.inPlace;
    }

    /**
     * Slices along the growing axis of the first part that grows.
     *
     * @return their number
     */
    public long length() {
      return info.length;
    }

    /**
     * Most slices of a growing axis.
     *
     * @return their number; 0 without limit
     */
    public long limit() {
      return info.limit;
    }

    /**
     * Steps since the state was made or reset.
     *
     * @return their number
     */
    public long steps() {
      return info.steps;
    }

    /**
     * Bytes of memory that it holds.
     *
     * @return the bytes
     */
    public long bytes() {
      return info.bytes;
    }

    /**
     * Bytes that steps copied of what was old.
     *
     * @return the bytes
     */
    public long copiedBytes() {
      return info.copiedBytes;
    }

    /**
     * Slices of a page.
     *
     * @return their number; 0 without pages
     */
    public long page() {
      return info.page;
    }

    /**
     * Pages of all parts.
     *
     * @return their number
     */
    public long pages() {
      return info.pages;
    }

    /**
     * Those of them that other states have, too.
     *
     * @return their number
     */
    public long sharedPages() {
      return info.sharedPages;
    }

    /**
     * Bytes of the pages of this state and its forks, each page once.
     *
     * @return the bytes
     */
    public long poolBytes() {
      return info.poolBytes;
    }

    /**
     * What those may be.
     *
     * @return the bytes; 0 without limit
     */
    public long poolLimit() {
      return info.poolLimit;
    }

    @Override
    public String toString() {
      return "steps " + steps() + ", length " + length() + ", limit " + limit() + ", bytes " + bytes() + ", copied " + copiedBytes();
    }
  }

  private final List<ValueInfo> inputs;
  private final List<ValueInfo> outputs;
  private final AtomicBoolean inUse = new AtomicBoolean(); // what is read lies in memory that a step may move

  private State(long value, List<ValueInfo> inputs, List<ValueInfo> outputs) {
    super("state", value, NativeCalls::stateDestroy);
    this.inputs = new ArrayList<>(inputs);
    this.outputs = new ArrayList<>(outputs);
  }

  /**
   * A state without parts.
   *
   * @param session the session, which it keeps alive
   * @param limit most slices along growing axes, for which memory is taken at the first step; 0: what the session's bounds say, or memory
   *     that doubles
   * @return the state
   */
  public static State of(Session session, long limit) {
    return new State(session.number(value -> NativeCalls.stateCreate(value, limit)), session.inputs(), session.outputs());
  }

  /**
   * Adds a part, before the first step: what a step gives in an output is what the next one reads in an input.
   *
   * @param input the input's name
   * @param output the output's name
   * @param axis the axis that grows, from 0; {@link #NO_AXIS}: none, the part is replaced
   * @throws AnydimException {@link Status#NOT_FOUND} for a name that the model lacks, {@link Status#INVALID_ARGUMENT} for two that do not
   *     fit, {@link Status#BUSY} after the first step
   */
  public void add(String input, String output, int axis) {
    byte[] from = Utf8.of(input, "input");
    byte[] to = Utf8.of(output, "output");
    with(
        state -> {
          NativeCalls.stateAdd(state, from, to, axis);
          return null;
        });
    inputs.removeIf(v -> v.name().equals(input));
    outputs.removeIf(v -> v.name().equals(output));
  }

  /**
   * Runs the model on the state, and keeps what the next step reads. A step that fails leaves the state as it was.
   *
   * @param provided the inputs that belong to no part, by their names
   * @return the outputs that belong to no part
   * @throws AnydimException as {@link Session#run(Map, RunOptions)}; {@link Status#OUT_OF_BOUNDS} beyond the limit
   */
  public Outputs step(Map<String, Tensor> provided) {
    return step(provided, DEFAULTS);
  }

  /**
   * Runs the model on the state, and keeps what the next step reads. A step that fails leaves the state as it was.
   *
   * @param provided the inputs that belong to no part, by their names
   * @param options the options; its list of outputs does not count
   * @return the outputs that belong to no part
   * @throws AnydimException as {@link #step(Map)}
   */
  public Outputs step(Map<String, Tensor> provided, RunOptions options) {
    Tensor[] tensors = new Tensor[inputs.size()];
    for (int i = 0; i < tensors.length; ++i) {
      tensors[i] = provided.get(inputs.get(i).name());
      if (tensors[i] == null) {
        throw AnydimException.invalid("inputs has no '" + inputs.get(i).name() + "'; a step reads " + inputs);
      }
    }
    if (provided.size() != tensors.length) {
      throw AnydimException.invalid("inputs has the names " + provided.keySet() + "; a step reads " + inputs);
    }
    List<String> names = new ArrayList<>();
    long[] views = new long[outputs.size() * NativeStructs.View.WORDS];
    for (int i = 0; i < outputs.size(); ++i) {
      names.add(outputs.get(i).name());
      views[i * NativeStructs.View.WORDS + NativeStructs.View.DTYPE] = outputs.get(i).dtype().number();
    }
    call(tensors, views, options);
    Tensor[] made = new Tensor[names.size()];
    for (int i = 0; i < made.length; ++i) {
      made[i] = Tensor.ofResult(views, i);
    }
    return new Outputs(names, made);
  }

  /**
   * Runs a step into the caller's tensors: nothing is made that has to be closed.
   *
   * @param provided the inputs that belong to no part, in the model's order
   * @param results the outputs that belong to no part, in the model's order; null for one that is not wanted
   * @throws AnydimException as {@link #step(Map)}
   */
  public void stepInto(Tensor[] provided, @Nullable Tensor[] results) {
    Tensor[] own = results.clone();
    long[] views = Tensor.enter(own, "outputs");
    try {
      call(provided.clone(), views, DEFAULTS);
    } finally {
      Tensor.leave(own);
    }
  }

  private void call(Tensor[] provided, long[] results, RunOptions options) {
    for (int i = 0; i < provided.length; ++i) {
      if (provided[i] == null) {
        throw new NullPointerException("inputs[" + i + "]");
      }
    }
    NativeStructs.RunOptions raw = new NativeStructs.RunOptions();
    raw.timeoutMs = options.timeoutMs();
    long[] views = Tensor.enter(provided, "inputs");
    try {
      long state = enter();
      try {
        alone(
            () ->
                Interruption.run(
                    options.cancellation(),
                    cancellation -> {
                      raw.cancellation = cancellation;
                      NativeCalls.stateStep(state, views, results, raw);
                      return null;
                    }));
      } finally {
        leave();
      }
    } finally {
      Tensor.leave(provided);
      Reference.reachabilityFence(options);
    }
  }

  private <T> T alone(Supplier<T> call) {
    if (!inUse.compareAndSet(false, true)) {
      throw AnydimException.of(Status.BUSY, "another thread is using this state; a state has one user at a time");
    }
    try {
      return call.get();
    } finally {
      inUse.set(false);
    }
  }

  /** Begins a new sequence in the memory that there is. */
  public void reset() {
    with(
        state ->
            alone(
                () -> {
                  NativeCalls.stateReset(state);
                  return null;
                }));
  }

  /**
   * Goes on from an earlier token: parts that grow keep their first slices.
   *
   * @param length how many stay
   */
  public void truncate(long length) {
    with(
        state ->
            alone(
                () -> {
                  NativeCalls.stateTruncate(state, length);
                  return null;
                }));
  }

  /**
   * Keeps parts that grow where they lie in pages, from the first step on: growing copies nothing, and forks have the same pages.
   *
   * @param page slices of a page, from 1; rounded up to what fills pages of the processor
   * @param poolLimit bytes of the pages of this state and its forks together; 0 without limit
   * @throws AnydimException {@link Status#BUSY} after the first step, {@link Status#UNIMPLEMENTED} for models on devices
   */
  public void usePages(long page, long poolLimit) {
    with(
        state ->
            alone(
                () -> {
                  NativeCalls.stateUsePages(state, page, poolLimit);
                  return null;
                }));
  }

  /**
   * Another state of the same session that holds the same: a copy, or with pages the same pages.
   *
   * @return the copy
   */
  public State fork() {
    return new State(number(state -> alone(() -> NativeCalls.stateFork(state))), inputs, outputs);
  }

  /**
   * What the next step reads of a part.
   *
   * @param part which, from 0, in the order in which they were added
   * @return a tensor with a copy
   * @throws AnydimException {@link Status#NOT_FOUND} past the last part, {@link Status#INVALID_ARGUMENT} for one whose dims are not known
   *     before the first step, {@link Status#BUSY} while another thread uses the state
   */
  public Tensor read(int part) {
    return with(
        state ->
            alone(
                () -> {
                  long[] view = new long[NativeStructs.View.WORDS];
                  NativeCalls.stateRead(state, part, view);
                  DType dtype = DType.of((int) view[NativeStructs.View.DTYPE]);
                  return Tensor.copyOfView(view, dtype, NativeStructs.dims(view, NativeStructs.View.DIMS));
                }));
  }

  /**
   * Copies tensors into the parts, in place of what they held.
   *
   * @param values a tensor for each part, in the order in which they were added
   */
  public void write(Tensor... values) {
    Tensor[] own = values.clone();
    long[] views = Tensor.enter(own, "values");
    try {
      with(
          state ->
              alone(
                  () -> {
                    NativeCalls.stateWrite(state, views);
                    return null;
                  }));
    } finally {
      Tensor.leave(own);
    }
  }

  /**
   * Its sizes and counters.
   *
   * @return its numbers
   */
  public Info info() {
    return new Info(with(NativeCalls::stateQuery));
  }

  @Override
  public String toString() {
    return handle.closed() ? "State[closed]" : "State" + inputs + " -> " + outputs;
  }
}
