// SPDX-License-Identifier: Apache-2.0
// Sessions, in which models run for any number of threads.
package org.anydim;

import java.lang.ref.Reference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * A model with contexts for any number of threads. Runs that find none free wait for their turn, first come, first served.
 *
 * <pre>{@code
 * try (Session rec = Session.open(cpu, Path.of("rec.onnx"), Session.threads(2));
 *      Tensor x = Tensor.allocateF32(1, 3, 48, width);
 *      Outputs y = rec.run(Map.of("x", x))) {
 *   float[] scores = y.get(0).toFloatArray();
 * }
 * }</pre>
 *
 * <p>A program that runs often gives its own tensors for the outputs ({@link #runInto}): then a run makes nothing that has to be closed.
 */
public final class Session extends NativeObject {
  private static final RunOptions DEFAULTS = new RunOptions();

  /** Options of a session. */
  public static final class Options extends ContextSettings<Options> {
    private int contexts;
    private Model.Options model = Model.options();
    private Batching batching;

    private Options() {}

    @Override
    Options own() {
      return this;
    }

    /**
     * Most runs at the same time.
     *
     * @param contexts their number; 0, the default, is the engine's threads, at most 8
     * @return these options
     */
    public Options contexts(int contexts) {
      this.contexts = contexts;
      return this;
    }

    /**
     * How {@link Session#open} loads the model.
     *
     * @param model options of the model
     * @return these options
     */
    public Options model(Model.Options model) {
      this.model = model;
      return this;
    }

    /**
     * Joins runs of several callers from the beginning: see {@link Session#startBatching}.
     *
     * @param batching how
     * @return these options
     */
    public Options batching(Batching batching) {
      this.batching = batching;
      return this;
    }

    private long create(long model) {
      return with((bounds, raw) -> NativeCalls.sessionCreate(model, bounds, raw, contexts));
    }
  }

  /** What a session's contexts do now. */
  public static final class Info {
    private final NativeStructs.SessionInfo info;

    private Info(NativeStructs.SessionInfo info) {
      this.info = info;
    }

    /**
     * Contexts that exist.
     *
     * @return their number
     */
    public int contexts() {
      return info.contexts;
    }

    /**
     * Contexts in which something runs.
     *
     * @return their number
     */
    public int inUse() {
      return info.inUse;
    }

    /**
     * Runs that wait for a context.
     *
     * @return their number
     */
    public int waiting() {
      return info.waiting;
    }

    /**
     * How often contexts' memory grew.
     *
     * @return how often; always 0 with bounds
     */
    public long growths() {
      return info.growths;
    }

    /**
     * Bytes of the contexts' memory.
     *
     * @return the bytes
     */
    public long arenaBytes() {
      return info.arenaBytes;
    }

    @Override
    public String toString() {
      return "contexts " + contexts() + ", in use " + inUse() + ", waiting " + waiting() + ", growths " + growths() + ", bytes " + arenaBytes();
    }
  }

  private final List<ValueInfo> inputs;
  private final List<ValueInfo> outputs;
  private final List<String> inputNames = new ArrayList<>();
  private final List<String> outputNames = new ArrayList<>();

  private final Border border;

  private Session(long value, Model model) {
    super("session", value, NativeCalls::sessionDestroy);
    inputs = model.inputs();
    outputs = model.outputs();
    inputs.forEach(v -> inputNames.add(v.name()));
    outputs.forEach(v -> outputNames.add(v.name()));
    border = Border.of(model.metadata());
  }

  /**
   * Loads a model and makes a session of it.
   *
   * @param engine the engine
   * @param file the model's file
   * @param options the options
   * @return the session
   * @throws AnydimException as {@link Model#load(Engine, Path, Model.Options)}, and for bounds that the model cannot have
   */
  public static Session open(Engine engine, Path file, Options options) {
    try (Model model = Model.load(engine, file, options.model)) {
      return of(model, options);
    }
  }

  /**
   * Loads a model and makes a session of it, with the default options.
   *
   * @param engine the engine
   * @param file the model's file
   * @return the session
   */
  public static Session open(Engine engine, Path file) {
    return open(engine, file, options());
  }

  /**
   * Loads a model from the bytes of its file and makes a session of it.
   *
   * @param engine the engine
   * @param bytes the file's bytes
   * @param options the options
   * @return the session
   * @throws AnydimException as {@link Model#load(Engine, byte[], Model.Options)}, and for bounds that the model cannot have
   */
  public static Session open(Engine engine, byte[] bytes, Options options) {
    try (Model model = Model.load(engine, bytes, options.model)) {
      return of(model, options);
    }
  }

  /**
   * Loads a model from the bytes of its file and makes a session of it, with the default options.
   *
   * @param engine the engine
   * @param bytes the file's bytes
   * @return the session
   */
  public static Session open(Engine engine, byte[] bytes) {
    return open(engine, bytes, options());
  }

  /**
   * A session of a model, which it keeps alive.
   *
   * @param model the model
   * @param options the options
   * @return the session
   */
  public static Session of(Model model, Options options) {
    Session session = new Session(model.number(options::create), model);
    if (options.batching == null) {
      return session;
    }
    try {
      session.startBatching(options.batching);
      return session;
    } catch (RuntimeException e) {
      session.close();
      throw e;
    }
  }

  /**
   * A session of a model, which it keeps alive, with the default options.
   *
   * @param model the model
   * @return the session
   */
  public static Session of(Model model) {
    return of(model, options());
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
   * Options with a number of threads.
   *
   * @param threads most threads that a run uses
   * @return new options
   */
  public static Options threads(int threads) {
    return new Options().threads(threads);
  }

  /**
   * The model's inputs.
   *
   * @return the inputs, in the model's order
   */
  public List<ValueInfo> inputs() {
    return inputs;
  }

  /**
   * The model's outputs.
   *
   * @return the outputs, in the model's order
   */
  public List<ValueInfo> outputs() {
    return outputs;
  }

  /**
   * The session's model.
   *
   * @return a new object, which the caller closes
   */
  public Model model() {
    return Model.of(number(NativeCalls::sessionAcquireModel));
  }

  /**
   * Runs the model on a thread of the package's, which are daemons. The inputs stay open until it is done.
   *
   * @param inputs the inputs by their names
   * @return what becomes all outputs, or fails with what {@link #run(Map)} throws; {@code cancel} ends the run
   */
  public CompletableFuture<Outputs> runAsync(Map<String, Tensor> inputs) {
    return runAsync(inputs, DEFAULTS, AsyncRun.THREADS);
  }

  /**
   * Runs the model on a thread of an executor. The inputs stay open until it is done.
   *
   * @param inputs the inputs by their names
   * @param options the options; a run that has a cancellation of its own cannot be ended by {@code cancel} of the result
   * @param executor whose threads run it: it is busy until the run is done
   * @return what becomes the outputs that the options ask for, or fails with what {@link #run(Map, RunOptions)} throws
   */
  public CompletableFuture<Outputs> runAsync(Map<String, Tensor> inputs, RunOptions options, Executor executor) {
    return AsyncRun.start(this, Map.copyOf(inputs), options, executor);
  }

  /**
   * Runs the model. The outputs are placed in memory of their own.
   *
   * @param inputs the inputs by their names
   * @return all outputs
   * @throws AnydimException see {@link #run(Map, RunOptions)}
   */
  public Outputs run(Map<String, Tensor> inputs) {
    return run(inputs, DEFAULTS);
  }

  /**
   * Runs the model. The outputs are placed in memory of their own.
   *
   * @param inputs the inputs by their names
   * @param options the options
   * @return the outputs that the options ask for
   * @throws AnydimException {@link Status#INVALID_ARGUMENT} for a wrong dtype, rank or dim, {@link Status#OUT_OF_BOUNDS} for a dim outside
   *     the bounds, {@link Status#INVALID_DATA} for values found wrong while running, {@link Status#NOT_FOUND} for a name that the model
   *     lacks, {@link Status#TIMED_OUT} if no context came free in time, {@link Status#QUEUE_FULL} with batching, {@link Status#CLOSED},
   *     {@link Status#CANCELLED}, also after an interrupt of the thread, which stays interrupted
   */
  public Outputs run(Map<String, Tensor> inputs, RunOptions options) {
    Tensor[] ordered = inOrder(inputs);
    String[] requested = options.outputNames();
    List<String> names = requested == null ? outputNames : List.of(requested);
    int[] places = new int[names.size()];
    long[] views = new long[outputs.size() * NativeStructs.View.WORDS];
    for (int i = 0; i < places.length; ++i) {
      places[i] = outputNames.indexOf(names.get(i));
      if (places[i] < 0) {
        throw AnydimException.of(Status.NOT_FOUND, "the model has no output '" + names.get(i) + "'; it has " + outputNames);
      }
      if (names.indexOf(names.get(i)) != i) {
        throw AnydimException.invalid("output '" + names.get(i) + "' is asked for twice");
      }
      views[places[i] * NativeStructs.View.WORDS + NativeStructs.View.DTYPE] = outputs.get(places[i]).dtype().number();
    }
    call(ordered, views, options);
    Tensor[] made = new Tensor[places.length];
    for (int i = 0; i < made.length; ++i) {
      made[i] = Tensor.ofResult(views, places[i]);
    }
    return new Outputs(names, made);
  }

  /**
   * Runs the model on what its file declares: tensors, strings, sequences, maps and optionals. {@link #run} takes and returns the tensors
   * that the library makes of them.
   *
   * @param inputs the inputs by the names that the file has
   * @return the outputs by the names that the file has, in its order
   * @throws AnydimException see {@link #run(Map, RunOptions)}
   */
  public Values runValues(Map<String, Value> inputs) {
    return runValues(inputs, DEFAULTS);
  }

  /**
   * Runs the model on what its file declares, with options.
   *
   * @param provided the inputs by the names that the file has
   * @param options the options; the outputs that they ask for have the names of the file
   * @return the outputs that the options ask for
   * @throws AnydimException see {@link #run(Map, RunOptions)}
   */
  public Values runValues(Map<String, Value> provided, RunOptions options) {
    String[] asked = options.outputNames();
    List<String> names = asked == null ? border.outputNames(outputNames) : List.of(asked);
    try (Border.Feeds feeds = border.feeds(provided, inputs)) {
      return border.results(names, run(feeds.tensors(), options.withOutputs(border.tensorsOf(names))));
    }
  }

  /**
   * Runs the model into the caller's tensors: nothing is made that has to be closed.
   *
   * @param inputs the inputs in the model's order
   * @param outputs the outputs in the model's order, of the dims that the run gives; null for one that is not wanted
   * @throws AnydimException see {@link #run(Map, RunOptions)}
   */
  public void runInto(Tensor[] inputs, @Nullable Tensor[] outputs) {
    runInto(inputs, outputs, DEFAULTS);
  }

  /**
   * Runs the model into the caller's tensors: nothing is made that has to be closed.
   *
   * @param inputs the inputs in the model's order
   * @param outputs the outputs in the model's order, of the dims that the run gives; null for one that is not wanted
   * @param options the options; which outputs are wanted is set by {@code outputs}
   * @throws AnydimException see {@link #run(Map, RunOptions)}
   */
  public void runInto(Tensor[] inputs, @Nullable Tensor[] outputs, RunOptions options) {
    Tensor[] own = outputs.clone();
    long[] views = Tensor.enter(own, "outputs");
    try {
      call(inputs.clone(), views, options);
    } finally {
      Tensor.leave(own);
    }
  }

  private void call(Tensor[] inputs, long[] outputs, RunOptions options) {
    for (int i = 0; i < inputs.length; ++i) {
      if (inputs[i] == null) {
        throw new NullPointerException("inputs[" + i + "]");
      }
    }
    NativeStructs.RunOptions raw = new NativeStructs.RunOptions();
    raw.timeoutMs = options.timeoutMs();
    long[] views = Tensor.enter(inputs, "inputs");
    try {
      long session = enter();
      try {
        Interruption.run(
            options.cancellation(),
            cancellation -> {
              raw.cancellation = cancellation;
              NativeCalls.sessionRun(session, views, outputs, raw);
              return null;
            });
      } finally {
        leave();
      }
    } finally {
      Tensor.leave(inputs);
      Reference.reachabilityFence(options);
    }
  }

  private Tensor[] inOrder(Map<String, Tensor> named) {
    for (String name : named.keySet()) {
      if (!inputNames.contains(name)) {
        throw AnydimException.of(Status.NOT_FOUND, "the model has no input '" + name + "'; its inputs are " + inputNames);
      }
    }
    Tensor[] tensors = new Tensor[inputNames.size()];
    for (int i = 0; i < tensors.length; ++i) {
      tensors[i] = named.get(inputNames.get(i));
      if (tensors[i] == null) {
        throw AnydimException.invalid("inputs has no '" + inputNames.get(i) + "'; the model's inputs are " + inputNames);
      }
    }
    return tensors;
  }

  /**
   * Reports how many contexts there are and what they do. It waits for no run.
   *
   * @return its numbers
   */
  public Info info() {
    return new Info(with(NativeCalls::sessionQuery));
  }

  /**
   * From now on runs of several callers are joined along the batch axis; each gets its own rows, with the bits that it has alone. A
   * caller who is alone runs at once. The caller promises that the model treats rows independently.
   *
   * @param batching how
   * @throws AnydimException {@link Status#UNIMPLEMENTED} for a model without a free batch axis, or one that can be seen to mix rows,
   *     {@link Status#INVALID_ARGUMENT} for options out of range, {@link Status#BUSY} if it was started
   */
  public void startBatching(Batching batching) {
    with(
        session -> {
          NativeCalls.sessionStartBatching(session, batching.raw());
          return null;
        });
  }

  /**
   * From now on each run is by itself. Returns when no request is left.
   *
   * @param cancel whether requests that wait are cancelled; else they are run
   */
  public void stopBatching(boolean cancel) {
    with(
        session -> {
          NativeCalls.sessionStopBatching(session, cancel ? 1 : 0);
          return null;
        });
  }

  /**
   * Reports what batching did.
   *
   * @return its numbers
   */
  public Batching.Info batchingInfo() {
    return new Batching.Info(with(NativeCalls::sessionQueryBatching));
  }

  /**
   * Explains how the model runs at the shapes of these inputs, which it does once: for each node its operator, kernel, tier, layout, dims,
   * and why other kernels were refused.
   *
   * @param inputs the inputs by their names
   * @return JSON
   */
  public String explain(Map<String, Tensor> inputs) {
    Tensor[] ordered = inOrder(inputs);
    long[] views = Tensor.enter(ordered, "inputs");
    try {
      return with(session -> text(() -> NativeCalls.sessionExplain(session, views)));
    } finally {
      Tensor.leave(ordered);
    }
  }

  @Override
  public String toString() {
    return "Session" + Arrays.toString(inputs.toArray()) + " -> " + outputs;
  }
}
