// SPDX-License-Identifier: Apache-2.0
// Contexts: one run of a model at a time, with everything that can be asked about it.
package org.anydim;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * What one running inference needs: its memory and the values of the dims. Most programs use a {@link Session}, which has contexts for any
 * number of threads. A context is for those that run in a {@link Stream}, tune, ask about single nodes, or give the memory.
 *
 * <p>One run at a time: a second thread's call fails with {@link Status#BUSY}.
 *
 * <pre>{@code
 * try (Model rec = Model.load(cpu, Path.of("rec.onnx"));
 *      Context run = Context.of(rec, Context.options().threads(1));
 *      Outputs y = run.run(x)) {
 *   run.tune(new Tuning().record(false), x);
 * }
 * }</pre>
 */
public final class Context extends NativeObject {
  /** Options of a context. */
  public static final class Options extends ContextSettings<Options> {
    private ByteBuffer memory;

    private Options() {}

    @Override
    Options own() {
      return this;
    }

    /**
     * Memory for the context, which then allocates nothing for runs. It is the context's until that is closed and its last call has ended.
     *
     * @param memory what is left of a direct buffer: {@link Model#bytesNeeded(Context.Options)} bytes, from an address that is a multiple
     *     of 64 ({@link ByteBuffer#alignedSlice}); bounds are set, too
     * @return these options
     */
    public Options memory(ByteBuffer memory) {
      if (!memory.isDirect() || memory.isReadOnly()) {
        throw AnydimException.invalid("memory is on the heap or read-only; expected a direct buffer that may be written");
      }
      this.memory = memory.slice();
      return this;
    }
  }

  /** A context's memory and counters. */
  public static final class Info {
    private final NativeStructs.ContextInfo info;

    private Info(NativeStructs.ContextInfo info) {
      this.info = info;
    }

    /**
     * Whether it was made with bounds.
     *
     * @return whether it was
     */
    public boolean bounded() {
      return info.bounded != 0;
    }

    /**
     * Bytes of memory that it holds.
     *
     * @return the bytes
     */
    public long arenaBytes() {
      return info.arenaBytes;
    }

    /**
     * How often its memory grew.
     *
     * @return how often; always 0 with bounds
     */
    public long growths() {
      return info.growths;
    }

    /**
     * Runs that completed.
     *
     * @return their number
     */
    public long runs() {
      return info.runs;
    }

    /**
     * Most threads that a run uses.
     *
     * @return their number
     */
    public int threads() {
      return info.threads;
    }
  }

  /** A node as it ran last. */
  public static final class Node {
    private final NativeStructs.NodeInfo info;

    private Node(NativeStructs.NodeInfo info) {
      this.info = info;
    }

    /**
     * The node's name.
     *
     * @return the name; after fusion that of its first part
     */
    public String name() {
      return info.name;
    }

    /**
     * Operator and attributes.
     *
     * @return both, as a text
     */
    public String op() {
      return info.op;
    }

    /**
     * Its kernel.
     *
     * @return the kernel's name
     */
    public String kernel() {
      return info.kernel;
    }

    /**
     * The tier of its kernel.
     *
     * @return the tier's name
     */
    public String tier() {
      return info.tier;
    }

    /**
     * Post-ops fused into it.
     *
     * @return the post-ops as a text, which is empty for none
     */
    public String postOps() {
      return info.postOps;
    }

    /**
     * Scratch of the last run.
     *
     * @return the bytes
     */
    public long scratchBytes() {
      return info.scratchBytes;
    }

    /**
     * Size of its outputs in the last run.
     *
     * @return the bytes
     */
    public long outputBytes() {
      return info.outputBytes;
    }

    /**
     * Time in the last run.
     *
     * @return nanoseconds; -1 unless the context measures ({@link Options#profile})
     */
    public long nanoseconds() {
      return info.timeNs;
    }
  }

  private final List<ValueInfo> outputs;
  private final List<String> names = new ArrayList<>();
  private volatile @Nullable Cancellation watched;

  private Context(long value, Model model, LongConsumer destroy) {
    super("context", value, destroy);
    outputs = model.outputs();
    outputs.forEach(v -> names.add(v.name()));
  }

  /**
   * A context of a model, which it keeps alive.
   *
   * @param model the model
   * @param options the options
   * @return the context
   * @throws AnydimException {@link Status#INVALID_ARGUMENT} for memory that is too small, not aligned, or without bounds; {@link
   *     Status#NOT_FOUND} for bounds of an input that the model lacks
   */
  public static Context of(Model model, Options options) {
    ByteBuffer memory = options.memory;
    long address = memory == null ? 0 : NativeMemory.address(memory);
    long bytes = memory == null ? 0 : memory.remaining();
    long made =
        model.number(
            m ->
                options.with(
                    (bounds, raw) -> {
                      raw.buffer = address;
                      raw.bufferBytes = bytes;
                      return NativeCalls.contextCreate(m, bounds, raw);
                    }));
    return new Context(made, model, destroyer(memory));
  }

  /** Memory that was given is held by what frees the context, and so for as long as that is there. */
  private static LongConsumer destroyer(ByteBuffer memory) {
    return value -> {
      NativeCalls.contextDestroy(value);
      Reference.reachabilityFence(memory);
    };
  }

  /**
   * Options with their defaults.
   *
   * @return new options
   */
  public static Options options() {
    return new Options();
  }

  /**
   * Runs the model into tensors that are made for it. Not for models of which only the run itself finds the dims of an output: these run in
   * a {@link Session}.
   *
   * @param inputs the inputs in the model's order
   * @return all outputs
   * @throws AnydimException see {@link #runInto}
   */
  public Outputs run(Tensor... inputs) {
    Tensor[] made = new Tensor[outputs.size()];
    try {
      for (int i = 0; i < made.length; ++i) {
        made[i] = Tensor.allocate(outputs.get(i).dtype(), outputDims(i, inputs));
      }
      runInto(inputs, made);
    } catch (Throwable failure) {
      for (Tensor t : made) {
        if (t != null) {
          t.close();
        }
      }
      throw failure;
    }
    return new Outputs(names, made);
  }

  /**
   * Runs the model into the caller's tensors.
   *
   * @param inputs the inputs in the model's order
   * @param outputs the outputs in the model's order, of the dims that {@link #outputDims} reports; null for one that is not wanted
   * @throws AnydimException {@link Status#INVALID_ARGUMENT} for a wrong number, dtype, rank or dim, {@link Status#OUT_OF_BOUNDS} for a dim
   *     outside the bounds, {@link Status#INVALID_DATA} for values found wrong while running, {@link Status#CANCELLED}, {@link
   *     Status#BUSY} if the context runs already, {@link Status#CLOSED}
   */
  public void runInto(Tensor[] inputs, Tensor[] outputs) {
    call(inputs, outputs, NativeCalls::contextRun);
  }

  /**
   * As {@link #runInto}, in a stream: after what the stream was given before, and before what it is given next.
   *
   * @param stream a stream of the model's engine
   * @param inputs the inputs in the model's order
   * @param outputs the outputs in the model's order; null for one that is not wanted
   * @throws AnydimException see {@link #runInto}; {@link Status#INVALID_ARGUMENT} for a stream of another engine
   */
  public void submit(Stream stream, Tensor[] inputs, Tensor[] outputs) {
    long order = stream.enter();
    try {
      // The engines that Java has are the processor, which has done all of it when the call returns.
      call(inputs, outputs, (context, in, out, raw) -> NativeCalls.contextSubmit(context, order, in, out, raw));
    } finally {
      stream.leave();
    }
  }

  private interface Call {
    void run(long context, long[] inputs, long[] outputs, NativeStructs.RunOptions options);
  }

  private void call(Tensor[] inputs, Tensor[] outputs, Call call) {
    Tensor[] into = outputs.clone();
    long[] places = Tensor.enter(into, "outputs");
    try {
      withInputs(
          inputs,
          (context, views) -> {
            ending(
                cancellation -> {
                  call.run(context, views, places, runOptions(cancellation));
                  return null;
                });
            return null;
          });
    } finally {
      Tensor.leave(into);
    }
  }

  private interface InputCall<T> {
    T of(long context, long[] inputs);
  }

  private <T> T withInputs(Tensor[] inputs, InputCall<T> inputCall) {
    Tensor[] tensors = inputs.clone();
    for (int i = 0; i < tensors.length; ++i) {
      if (tensors[i] == null) {
        throw new NullPointerException("inputs[" + i + "]");
      }
    }
    long[] views = Tensor.enter(tensors, "inputs");
    try {
      return with(context -> inputCall.of(context, views));
    } finally {
      Tensor.leave(tensors);
    }
  }

  private static NativeStructs.RunOptions runOptions(long cancellation) {
    NativeStructs.RunOptions raw = new NativeStructs.RunOptions();
    raw.cancellation = cancellation;
    return raw;
  }

  private interface Ending<T> {
    T with(long cancellation);
  }

  /** A call with what ends it. */
  private <T> T ending(Ending<T> call) {
    return Interruption.run(watched, call::with);
  }

  /**
   * Sets what ends the context's runs and tunings that begin from now on; another thread may turn it on at any time.
   *
   * @param cancellation the cancellation, which stays open as long as the context has it: after its close runs fail with {@link
   *     Status#CLOSED}; null for none
   */
  public void watch(@Nullable Cancellation cancellation) {
    watched = cancellation;
  }

  /**
   * Reports the dims of an output for actual inputs, and checks these.
   *
   * @param index which output, from 0
   * @param inputs the inputs in the model's order
   * @return the dims
   * @throws AnydimException see {@link #runInto}; {@link Status#NOT_FOUND} past the last output, {@link Status#UNIMPLEMENTED} for dims that
   *     only the run itself finds
   */
  public long[] outputDims(int index, Tensor... inputs) {
    return withInputs(
        inputs,
        (context, views) -> {
          long[] dims = new long[NativeStructs.Dims.WORDS];
          NativeCalls.contextGetOutputDims(context, views, index, dims);
          return NativeStructs.dims(dims, 0);
        });
  }

  /**
   * Reports its memory and counters.
   *
   * @return its numbers
   */
  public Info info() {
    return new Info(with(NativeCalls::contextQuery));
  }

  /**
   * Explains how the model runs at the shapes of these inputs, which it does once: for each node its operator, kernel, tier, layout, dims,
   * and why other kernels were refused.
   *
   * @param inputs the inputs in the model's order; none for the last run
   * @return JSON
   * @throws AnydimException see {@link #runInto}; {@link Status#NOT_FOUND} without inputs before the first run
   */
  public String explain(Tensor... inputs) {
    return withInputs(inputs, (context, views) -> ending(cancellation -> text(() -> NativeCalls.contextExplain(context, views, runOptions(cancellation)))));
  }

  /**
   * Measures the plans of every node at the shapes of these inputs, and keeps those that are faster with confidence: for all contexts of
   * the model that run these shapes with as many threads, and in the persistent cache for later processes. Results never change. Takes
   * seconds; a cancellation that the context watches ends it, and what was found before stays in use.
   *
   * @param tuning how it is measured
   * @param inputs the inputs in the model's order
   * @return JSON: for each measured node what was found
   * @throws AnydimException see {@link #runInto}; {@link Status#IO_ERROR} or {@link Status#UNIMPLEMENTED} where the persistent cache cannot
   *     be written or is off: the plans are in use all the same
   */
  public String tune(Tuning tuning, Tensor... inputs) {
    return ending(
        cancellation ->
            tuning.with(
                own -> {
                  own.cancellation = cancellation;
                  return withInputs(inputs, (context, views) -> text(() -> NativeCalls.contextTune(context, views, own)));
                }));
  }

  /**
   * Reports about the nodes as they ran last, in the order of execution.
   *
   * @return the nodes
   * @throws AnydimException {@link Status#NOT_FOUND} before the first run, and after a run that failed or a tuning
   */
  public List<Node> nodes() {
    return with(
        context -> {
          List<Node> nodes = new ArrayList<>();
          int count = NativeCalls.contextGetNodeCount(context);
          for (int i = 0; i < count; ++i) {
            nodes.add(new Node(NativeCalls.contextGetNode(context, i)));
          }
          return Collections.unmodifiableList(nodes);
        });
  }
}
