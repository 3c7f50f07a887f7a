// SPDX-License-Identifier: Apache-2.0
// Streams of chunks: a model along one axis, piece by piece.
package org.anydim;

import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * One sequence that comes in chunks along an axis. Those of a session run beside each other on its contexts. All results together, one
 * chunk after the other, have the bits of one run over the whole.
 *
 * <pre>{@code
 * try (Model model = Model.load(cpu, file, Model.options().streaming("audio", 2).streamingChunk(1600));
 *      Session session = Session.of(model);
 *      Streaming voice = Streaming.of(session)) {
 *   while (sound.read(chunk))
 *     try (Outputs y = voice.push(Map.of("audio", chunk))) { ... }
 *   try (Outputs rest = voice.finish(Map.of("audio", nothing))) { ... }
 * }
 * }</pre>
 */
public final class Streaming extends NativeObject {
  /** For an output that comes with the last chunk. */
  public static final int NO_AXIS = -1;

  private static final RunOptions DEFAULTS = new RunOptions();

  /** What a sequence has come to, and what is known of any. */
  public static final class Info {
    private final NativeStructs.StreamingInfo info;

    private Info(NativeStructs.StreamingInfo info) {
      this.info = info;
    }

    /**
     * Elements of the axis that must come before all outputs along it have begun.
     *
     * @return their number; -1: more than an int holds
     */
    public int firstAfter() {
      return info.firstAfter;
    }

    /**
     * Elements of the axis that have come.
     *
     * @return their number
     */
    public long received() {
      return info.received;
    }

    /**
     * Chunks since it was made or reset.
     *
     * @return their number
     */
    public long chunks() {
      return info.chunks;
    }

    /**
     * Bytes that it holds of its own, of what later chunks read again.
     *
     * @return the bytes
     */
    public long bytes() {
      return info.bytes;
    }

    /**
     * Most elements of a chunk.
     *
     * @return their number; 0: any
     */
    public long mostChunk() {
      return info.mostChunk;
    }

    @Override
    public String toString() {
      return "received " + received() + ", chunks " + chunks() + ", bytes " + bytes();
    }
  }

  private final List<ValueInfo> inputs;
  private final List<ValueInfo> outputs;
  private final int[] axes; // by output

  private Streaming(long value, List<ValueInfo> inputs, List<ValueInfo> outputs) {
    super("streaming", value, NativeCalls::streamingDestroy);
    this.inputs = inputs;
    this.outputs = outputs;
    axes = new int[outputs.size()];
    for (int i = 0; i < axes.length; ++i) {
      axes[i] = NativeCalls.streamingGetAxis(value, i);
    }
  }

  /**
   * Begins a sequence.
   *
   * @param session the session, of a model that was loaded with {@link Model.Options#streaming}
   * @return the sequence, which keeps the session alive
   * @throws AnydimException {@link Status#INVALID_ARGUMENT} for a model that was loaded without
   */
  public static Streaming of(Session session) {
    return new Streaming(session.number(NativeCalls::streamingCreate), session.inputs(), session.outputs());
  }

  /**
   * The axis along which an output comes.
   *
   * @param output which of the model's outputs, from 0
   * @return the axis; {@link #NO_AXIS}: it comes with the last chunk
   */
  public int axis(int output) {
    return axes[output];
  }

  /**
   * Computes what a chunk makes computable. A call that fails leaves the sequence as it was.
   *
   * @param chunk the inputs by their names: of one that is streamed the next elements, none or more, of others the same with each chunk
   * @return the new elements of each output along the axis, maybe none
   * @throws AnydimException as {@link Session#run(Map, RunOptions)}; {@link Status#OUT_OF_BOUNDS} for a chunk that is too large,
   *     {@link Status#BUSY} while another call uses the sequence, {@link Status#INVALID_ARGUMENT} after the last chunk
   */
  public Outputs push(Map<String, Tensor> chunk) {
    return push(chunk, false, DEFAULTS);
  }

  /**
   * Computes the last chunk, which may be empty, and what the end makes computable.
   *
   * @param chunk as in {@link #push(Map)}
   * @return the rest of each output, and those that have no axis
   * @throws AnydimException as {@link #push(Map)}; {@link Status#INVALID_ARGUMENT} for a length at which tensors of the model do not meet
   */
  public Outputs finish(Map<String, Tensor> chunk) {
    return push(chunk, true, DEFAULTS);
  }

  /**
   * Computes what a chunk makes computable. A call that fails leaves the sequence as it was.
   *
   * @param chunk as in {@link #push(Map)}
   * @param last whether it is the last one
   * @param options the options; its list of outputs does not count
   * @return the outputs that come with the chunk: those along the axis, and with the last one all
   * @throws AnydimException as {@link #push(Map)} and {@link #finish(Map)}
   */
  public Outputs push(Map<String, Tensor> chunk, boolean last, RunOptions options) {
    Tensor[] tensors = new Tensor[inputs.size()];
    for (int i = 0; i < tensors.length; ++i) {
      tensors[i] = chunk.get(inputs.get(i).name());
      if (tensors[i] == null) {
        throw AnydimException.invalid("inputs has no '" + inputs.get(i).name() + "'; a chunk has " + inputs);
      }
    }
    if (chunk.size() != tensors.length) {
      throw AnydimException.invalid("inputs has the names " + chunk.keySet() + "; a chunk has " + inputs);
    }
    long[] views = new long[outputs.size() * NativeStructs.View.WORDS];
    for (int i = 0; i < outputs.size(); ++i) {
      if (last || axes[i] != NO_AXIS) {
        views[i * NativeStructs.View.WORDS + NativeStructs.View.DTYPE] = outputs.get(i).dtype().number();
      }
    }
    call(tensors, last, views, options);
    List<String> names = new ArrayList<>();
    List<Tensor> made = new ArrayList<>();
    for (int i = 0; i < outputs.size(); ++i) {
      if (last || axes[i] != NO_AXIS) {
        names.add(outputs.get(i).name());
        made.add(Tensor.ofResult(views, i));
      }
    }
    return new Outputs(names, made.toArray(new Tensor[0]));
  }

  private void call(Tensor[] chunk, boolean last, long[] results, RunOptions options) {
    NativeStructs.RunOptions raw = new NativeStructs.RunOptions();
    raw.timeoutMs = options.timeoutMs();
    long[] views = Tensor.enter(chunk, "inputs");
    try {
      long streaming = enter();
      try {
        Interruption.run(
            options.cancellation(),
            cancellation -> {
              raw.cancellation = cancellation;
              NativeCalls.streamingPush(streaming, views, last ? 1 : 0, results, raw);
              return null;
            });
      } finally {
        leave();
      }
    } finally {
      Tensor.leave(chunk);
      Reference.reachabilityFence(options);
    }
  }

  /** Begins a new sequence in the memory that there is. */
  public void reset() {
    with(
        streaming -> {
          NativeCalls.streamingReset(streaming);
          return null;
        });
  }

  /**
   * Most bytes that this sequence and the contexts for one chunk ever need.
   *
   * @return the bytes
   * @throws AnydimException {@link Status#INVALID_ARGUMENT} where chunks or other dims have no bound
   */
  public long bytesNeeded() {
    return number(NativeCalls::streamingGetBytesNeeded);
  }

  /**
   * Its sizes and counters.
   *
   * @return its numbers
   */
  public Info info() {
    return new Info(with(NativeCalls::streamingQuery));
  }

  @Override
  public String toString() {
    return handle.closed() ? "Streaming[closed]" : "Streaming" + inputs + " -> " + outputs;
  }
}
