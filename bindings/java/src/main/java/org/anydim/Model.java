// SPDX-License-Identifier: Apache-2.0
// Loaded models, which sessions run.
package org.anydim;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.lang.ref.Reference;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * A loaded model: immutable, shared by any number of sessions and threads. Its weights are packed once.
 *
 * <pre>{@code
 * try (Model rec = Model.load(cpu, Path.of("rec.onnx"));
 *      Session session = Session.of(rec, Session.threads(2).bounds(bounds))) { ... }
 * }</pre>
 */
public final class Model extends NativeObject {
  /** What is asked of a model when it is loaded. */
  public static final class Options {
    private final NativeStructs.ModelOptions raw = new NativeStructs.ModelOptions();
    private final Map<String, EdgeLayout> layouts = new LinkedHashMap<>();
    private final Map<String, MathMode> layers = new LinkedHashMap<>();
    private final Map<String, String> sequences = new LinkedHashMap<>();
    private final Map<String, Integer> streaming = new LinkedHashMap<>();
    private final Map<List<String>, CustomOperator> operators = new LinkedHashMap<>();

    private Options() {}

    /**
     * The math mode of layers that have none of their own.
     *
     * @param mode the mode
     * @return these options
     */
    public Options math(MathMode mode) {
      raw.math = mode.number();
      return this;
    }

    /**
     * The math mode of one layer.
     *
     * @param layer the name of a node of the model's file
     * @param mode the mode
     * @return these options
     */
    public Options math(String layer, MathMode mode) {
      layers.put(layer, mode);
      return this;
    }

    /**
     * The reuse policy of all operators.
     *
     * @param policy the policy
     * @return these options
     */
    public Options reuse(Reuse policy) {
      raw.reuse = policy.number();
      return this;
    }

    /**
     * Which rewritings the graph gets.
     *
     * @param passes the set
     * @return these options
     */
    public Options passes(Passes passes) {
      raw.passes = passes.number();
      return this;
    }

    /**
     * The memory order of an input or output.
     *
     * @param name its name
     * @param layout the order; {@link EdgeLayout#ORDER} is for axes, which are not given here
     * @return these options
     */
    public Options layout(String name, EdgeLayout layout) {
      layouts.put(name, layout);
      return this;
    }

    /**
     * A file that {@link Model#savePackedWeights} wrote: weights that it has are mapped and not packed, and processes that map it share them.
     *
     * @param file the file
     * @return these options
     */
    public Options packedWeights(Path file) {
      raw.packedWeights = Utf8.of(file, "packedWeights");
      return this;
    }

    /**
     * Where a model that is loaded from memory has its external data.
     *
     * @param folder the folder
     * @return these options
     */
    public Options externalDataFolder(Path folder) {
      raw.externalDataFolder = Utf8.of(folder, "externalDataFolder");
      return this;
    }

    /**
     * What an input that is a sequence or an optional is made of; without this a sequence has any number of elements of equal dims.
     *
     * @param name its name
     * @param ranks the rank of each element: the model then has inputs NAME[0], NAME[1] and so on in its place
     * @return these options
     */
    public Options sequence(String name, int... ranks) {
      sequences.put(name, Arrays.stream(ranks).mapToObj(Integer::toString).collect(Collectors.joining(",")));
      return this;
    }

    /**
     * Loads the model for runs without an input that is an optional.
     *
     * @param name its name
     * @return these options
     */
    public Options absent(String name) {
      sequences.put(name, "-");
      return this;
    }

    /**
     * Loads the model for chunks, too ({@link Streaming}): an input that comes piece by piece. Each input that does is given.
     *
     * @param name its name
     * @param axis the axis along which it comes, from 0
     * @return these options
     */
    public Options streaming(String name, int axis) {
      streaming.put(name, axis);
      return this;
    }

    /**
     * Most elements of a chunk along the axis: with bounds for the other dims a sequence's memory never grows.
     *
     * @param most their number; 0, the default, is any
     * @return these options
     */
    public Options streamingChunk(long most) {
      raw.streamingChunk = most;
      return this;
    }

    /**
     * An operator of the program's own. Nodes of its domain and name are computed by it, before a function of the model's or an operator
     * of the library's. Models that are loaded keep it until they are closed.
     *
     * @param domain the operator's domain, as the model has it; empty for ONNX's own
     * @param opType the operator's name
     * @param operator the operator
     * @return these options
     */
    public Options operator(String domain, String opType, CustomOperator operator) {
      operators.put(List.of(domain, opType), Objects.requireNonNull(operator, "operator"));
      return this;
    }

    private void addOperators(long set) {
      operators.forEach(
          (key, operator) -> {
            NativeStructs.CustomOperator definition = new NativeStructs.CustomOperator();
            definition.shapes = NativeCallbacks.customShapes();
            definition.compute = NativeCallbacks.customCompute();
            definition.finalizer = NativeCallbacks.finalizer();
            definition.user = NativeCallbacks.keep(operator);
            try {
              NativeCalls.customOperatorsAdd(set, Utf8.of(key.get(0), "domain"), Utf8.of(key.get(1), "opType"), definition);
            } catch (Throwable failure) {
              NativeCallbacks.forget(definition.user);
              throw failure;
            }
          });
    }

    private long load(ToLongFunction<NativeStructs.ModelOptions> call) {
      NativeStructs.ModelOptions own = new NativeStructs.ModelOptions();
      own.math = raw.math;
      own.reuse = raw.reuse;
      own.passes = raw.passes;
      own.packedWeights = raw.packedWeights;
      own.externalDataFolder = raw.externalDataFolder;
      if (!sequences.isEmpty()) {
        own.sequences =
            Utf8.of(
                sequences.entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).collect(Collectors.joining(";")),
                "sequences");
      }
      if (!streaming.isEmpty()) {
        own.streaming =
            Utf8.of(
                streaming.entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).collect(Collectors.joining(";")),
                "streaming");
      }
      own.streamingChunk = raw.streamingChunk;
      own.layouts = NativeCalls.layoutsCreate();
      try {
        own.layers = NativeCalls.layersCreate();
        if (!operators.isEmpty()) {
          own.operators = NativeCalls.customOperatorsCreate();
          addOperators(own.operators);
        }
        layouts.forEach(
            (name, rule) -> NativeCalls.layoutsSet(own.layouts, Utf8.of(name, "name"), rule.number(), new long[0]));
        layers.forEach((name, mode) -> NativeCalls.layersSetMath(own.layers, Utf8.of(name, "layer"), mode.number()));
        return call.applyAsLong(own);
      } finally {
        NativeCalls.layoutsDestroy(own.layouts);
        NativeCalls.layersDestroy(own.layers);
        NativeCalls.customOperatorsDestroy(own.operators);
      }
    }
  }

  private final List<ValueInfo> inputs = new ArrayList<>();
  private final List<ValueInfo> outputs = new ArrayList<>();

  private Model(long value) {
    super("model", value, NativeCalls::modelDestroy);
    long[] counts = new long[2];
    NativeCalls.modelGetCounts(value, counts);
    for (int i = 0; i < counts[0]; ++i) {
      inputs.add(new ValueInfo(NativeCalls.modelGetInput(value, i)));
    }
    for (int i = 0; i < counts[1]; ++i) {
      outputs.add(new ValueInfo(NativeCalls.modelGetOutput(value, i)));
    }
    Reference.reachabilityFence(this);
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
   * Loads an ONNX model, external data beside it too.
   *
   * @param engine the engine
   * @param file the model's file
   * @return the model
   */
  public static Model load(Engine engine, Path file) {
    return load(engine, file, options());
  }

  /**
   * Loads an ONNX model, external data beside it too.
   *
   * @param engine the engine
   * @param file the model's file
   * @param options the options
   * @return the model
   * @throws AnydimException {@link Status#FILE_NOT_FOUND} if there is no such file, {@link Status#INVALID_MODEL} if it is damaged, {@link
   *     Status#UNIMPLEMENTED} with the names of all operators that are missing
   */
  public static Model load(Engine engine, Path file, Options options) {
    byte[] path = Utf8.of(file, "file");
    return new Model(options.load(own -> engine.owner().number(e -> NativeCalls.modelLoadFile(e, path, own))));
  }

  /**
   * Loads an ONNX model from memory, which may go afterwards.
   *
   * @param engine the engine
   * @param bytes the file's bytes: what is left of the buffer
   * @param options the options
   * @return the model
   */
  public static Model load(Engine engine, ByteBuffer bytes, Options options) {
    ByteBuffer direct = bytes.slice();
    if (!direct.isDirect()) {
      direct = ByteBuffer.allocateDirect(bytes.remaining()).put(bytes.slice());
      direct.flip();
    }
    ByteBuffer kept = direct;
    try {
      return new Model(
          options.load(
              own ->
                  engine
                      .owner()
                      .number(e -> NativeCalls.modelLoadMemory(e, NativeMemory.address(kept), kept.remaining(), own))));
    } finally {
      Reference.reachabilityFence(kept);
    }
  }

  /**
   * Loads an ONNX model from the bytes of its file.
   *
   * @param engine the engine
   * @param bytes the file's bytes
   * @param options the options
   * @return the model
   */
  public static Model load(Engine engine, byte[] bytes, Options options) {
    return load(engine, ByteBuffer.wrap(bytes), options);
  }

  /** Of a handle that is this object's from now on. */
  static Model of(long value) {
    return new Model(value);
  }

  /** Of a call that makes one with raw options. */
  static Model built(Options options, ToLongFunction<NativeStructs.ModelOptions> call) {
    return new Model(options.load(call));
  }

  /**
   * The inputs.
   *
   * @return the inputs, in the model's order
   */
  public List<ValueInfo> inputs() {
    return Collections.unmodifiableList(inputs);
  }

  /**
   * The outputs.
   *
   * @return the outputs, in the model's order
   */
  public List<ValueInfo> outputs() {
    return Collections.unmodifiableList(outputs);
  }

  /**
   * The model's metadata.
   *
   * @return keys and values, in the file's order
   */
  public Map<String, String> metadata() {
    return with(
        model -> {
          Map<String, String> entries = new LinkedHashMap<>();
          int count = NativeCalls.modelQuery(model).metadata;
          for (int i = 0; i < count; ++i) {
            byte[][] texts = new byte[2][];
            NativeCalls.modelGetMetadata(model, i, texts);
            entries.put(new String(texts[0], StandardCharsets.UTF_8), new String(texts[1], StandardCharsets.UTF_8));
          }
          return entries;
        });
  }

  /**
   * Bytes of packed weights and constants that the model holds, mapped ones included.
   *
   * @return their number
   */
  public long weightBytes() {
    return with(NativeCalls::modelQuery).weightBytes;
  }

  /**
   * Reports how many bytes one context of a session with these bounds needs for any shape within them.
   *
   * @param bounds bounds of all dynamic dims
   * @return the bytes
   */
  public long bytesNeeded(Bounds bounds) {
    long made = bounds.create();
    try {
      return number(model -> NativeCalls.modelGetBytesNeeded(model, made, new NativeStructs.ContextOptions(), 0));
    } finally {
      NativeCalls.boundsDestroy(made);
    }
  }

  /**
   * How many bytes a context with these options needs for any shape within its bounds: what {@link Context.Options#memory} is given.
   *
   * @param options the options; they have bounds of all dynamic dims
   * @return the bytes
   */
  public long bytesNeeded(Context.Options options) {
    return number(model -> options.with((bounds, raw) -> NativeCalls.modelGetBytesNeeded(model, bounds, raw, 0)));
  }

  /**
   * Writes the packed weights to a file for {@link Options#packedWeights}.
   *
   * @param file the file; it holds the whole of them at any moment
   */
  public void savePackedWeights(Path file) {
    byte[] path = Utf8.of(file, "file");
    with(
        model -> {
          NativeCalls.modelSavePacked(model, path, new NativeStructs.SaveOptions());
          return null;
        });
  }

  /**
   * Writes the packed weights to a file for {@link Options#packedWeights}, unless it is there. When several processes of a machine do so at
   * once, the file of the first stays: so all that map it afterwards share one copy.
   *
   * @param file the file
   * @return whether this call wrote it
   * @throws IOException if the file cannot be given its name
   */
  public boolean savePackedOnce(Path file) throws IOException {
    if (Files.exists(file)) {
      return false;
    }
    Path folder = file.toAbsolutePath().getParent();
    Path own = Files.createTempFile(folder, file.getFileName().toString(), ".new");
    try {
      savePackedWeights(own);
      Files.createLink(file, own); // fails if somebody was faster, and shows the whole of the file or nothing
      return true;
    } catch (FileAlreadyExistsException faster) {
      return false;
    } finally {
      Files.deleteIfExists(own);
    }
  }

  /**
   * Writes the model as a program file: its steps, as compiled for this machine's kind of processor, with its packed weights. {@link Model#load}
   * takes such a file in a model's place, and is then done in a millisecond or two; processes that load one file share its memory.
   *
   * @param file the file; it holds the whole of it at any moment
   */
  public void saveProgram(Path file) {
    byte[] path = Utf8.of(file, "file");
    with(
        model -> {
          NativeCalls.modelSaveProgram(model, path, new NativeStructs.SaveOptions());
          return null;
        });
  }

  /**
   * Describes the model: facts, inputs, outputs, metadata, weights, and the nodes after all passes.
   *
   * @return JSON
   */
  public String describe() {
    return with(model -> text(() -> NativeCalls.modelDescribe(model)));
  }
}
