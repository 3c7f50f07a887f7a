// SPDX-License-Identifier: Apache-2.0
// Primitives: single operators.
package org.anydim;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.function.LongConsumer;

/**
 * An operator made for given descriptors, ready to execute at any dims that they allow. An {@link Engine} has a method for each operator that
 * begins one. Any number of threads may execute it at once.
 */
public final class Primitive extends NativeObject {
  private final Engine engine;
  private final DType[] dtypes;

  Primitive(Engine engine, long value, int outputs) {
    super("primitive", value, destroyer(engine.owner().handle));
    this.engine = engine;
    dtypes = new DType[outputs];
    for (int i = 0; i < outputs; ++i) {
      int index = i;
      dtypes[i] = DType.of((int) number(p -> NativeCalls.primitiveGetOutputDtype(p, index)));
    }
  }

  /** A primitive uses its engine's handle, for streams, after the engine was closed, too. */
  private static LongConsumer destroyer(NativeObject.Handle ofEngine) {
    boolean used = ofEngine.enter();
    return value -> {
      NativeCalls.primitiveDestroy(value);
      if (used) {
        ofEngine.leave();
      }
    };
  }

  /**
   * Executes it. The outputs are placed in memory of their own.
   *
   * @param inputs the inputs in the operator's order without the constants, then the tensors of post-ops, then scales and zero points that
   *     come with each call
   * @return the outputs
   * @throws AnydimException {@link Status#INVALID_ARGUMENT} for a wrong dtype, rank or number of tensors, {@link Status#OUT_OF_BOUNDS} for a
   *     dim that breaks a promise, {@link Status#INVALID_DATA} for values found wrong on the way, {@link Status#CLOSED}
   */
  public Outputs execute(Tensor... inputs) {
    long[] views = new long[dtypes.length * NativeStructs.View.WORDS];
    for (int i = 0; i < dtypes.length; ++i) {
      views[i * NativeStructs.View.WORDS + NativeStructs.View.DTYPE] = dtypes[i].number();
    }
    call(null, inputs.clone(), views);
    Tensor[] made = new Tensor[dtypes.length];
    for (int i = 0; i < made.length; ++i) {
      made[i] = Tensor.ofResult(views, i);
    }
    return new Outputs(List.of(), made);
  }

  /**
   * Executes it into the caller's tensors: nothing is made that has to be closed.
   *
   * @param inputs the inputs, as for {@link #execute}
   * @param outputs the outputs, of the dims that {@link #outputDims} reports
   * @throws AnydimException see {@link #execute}
   */
  public void executeInto(Tensor[] inputs, Tensor[] outputs) {
    into(null, inputs, outputs);
  }

  /**
   * As {@link #executeInto(Tensor[], Tensor[])}, in a stream of the caller's: after what it was given before, with its threads.
   *
   * @param stream a stream of the primitive's engine
   * @param inputs the inputs, as for {@link #execute}
   * @param outputs the outputs, of the dims that {@link #outputDims} reports
   * @throws AnydimException see {@link #execute}; {@link Status#BUSY} if another thread uses the stream
   */
  public void executeInto(Stream stream, Tensor[] inputs, Tensor[] outputs) {
    into(Objects.requireNonNull(stream, "stream"), inputs, outputs);
  }

  private void into(Stream stream, Tensor[] inputs, Tensor[] outputs) {
    Tensor[] own = outputs.clone();
    long[] views = Tensor.enter(own, "outputs");
    try {
      call(stream, inputs.clone(), views);
    } finally {
      Tensor.leave(own);
    }
  }

  /** In a stream of the caller's, or, for null, in one that nobody uses now. */
  private void call(Stream stream, Tensor[] inputs, long[] outputs) {
    long[] views = Tensor.enter(inputs, "inputs");
    try {
      long primitive = enter();
      try {
        long order = stream != null ? stream.enter() : engine.takeStream();
        try {
          NativeCalls.primitiveExecute(primitive, order, views, outputs);
        } finally {
          if (stream != null) {
            stream.leave();
          } else {
            engine.giveStream(order);
          }
        }
      } finally {
        leave();
      }
    } finally {
      Tensor.leave(inputs);
    }
  }

  /**
   * Reports the dims of an output for actual inputs, and checks these. Their data does not count.
   *
   * @param index which output, from 0
   * @param inputs the inputs, as for {@link #execute}
   * @return the dims
   */
  public long[] outputDims(int index, Tensor... inputs) {
    Tensor[] tensors = inputs.clone();
    long[] views = Tensor.enter(tensors, "inputs");
    try {
      return with(
          primitive -> {
            long[] dims = new long[NativeStructs.Dims.WORDS];
            NativeCalls.primitiveGetOutputDims(primitive, views, index, dims);
            return NativeStructs.dims(dims, 0);
          });
    } finally {
      Tensor.leave(tensors);
    }
  }

  /**
   * The packed constants: to update, to save, or for other primitives.
   *
   * @return a new object for them
   * @throws AnydimException {@link Status#NOT_FOUND} if it has none
   */
  public Weights weights() {
    return new Weights(number(NativeCalls::primitiveAcquireWeights));
  }

  /**
   * The name of the kernel that it runs.
   *
   * @return the name
   */
  public String kernel() {
    return with(
        primitive -> {
          byte[][] name = new byte[1][];
          NativeCalls.primitiveGetKernel(primitive, new long[1], name);
          return new String(name[0], StandardCharsets.UTF_8);
        });
  }

  /**
   * Explains the primitive: kernel, tier, layouts, and why other kernels were refused; with inputs also output dims.
   *
   * @param inputs the inputs, as for {@link #execute}, or none
   * @return JSON
   */
  public String explain(Tensor... inputs) {
    Tensor[] tensors = inputs.clone();
    long[] views = Tensor.enter(tensors, "inputs");
    try {
      return with(primitive -> text(() -> NativeCalls.primitiveExplain(primitive, views)));
    } finally {
      Tensor.leave(tensors);
    }
  }
}
