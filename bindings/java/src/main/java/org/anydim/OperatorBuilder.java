// SPDX-License-Identifier: Apache-2.0
// What the generated builders of operators have in common: operands, attributes of primitives, and making one.
package org.anydim;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Builds a primitive of one operator. Its attributes are the operator's own; those here are the same for all operators. One thread uses a
 * builder, and a builder may make any number of primitives.
 *
 * @param <T> the builder itself
 */
public abstract class OperatorBuilder<T extends OperatorBuilder<T>> {
  final OperatorImage image;
  private final Engine engine;
  private final String kind;
  private final Operand[] operands;
  private final List<LongConsumer> attributes = new ArrayList<>();
  private Path packed;

  OperatorBuilder(Engine engine, String kind, OperatorImage image, Operand... operands) {
    this.engine = engine;
    this.kind = kind;
    this.image = image;
    this.operands = operands.clone();
  }

  abstract int outputs();

  final void operand(int index, Operand operand) {
    operands[index] = operand;
  }

  /** Something to be set of the attributes, whose handle it gets. */
  @SuppressWarnings("unchecked")
  final T attribute(LongConsumer set) {
    attributes.add(set);
    return (T) this;
  }

  /**
   * Appends steps that follow the operator, in their order.
   *
   * @param steps the steps
   * @return this builder
   */
  public T postOps(PostOp... steps) {
    PostOp[] own = steps.clone();
    return attribute(
        attr -> {
          for (PostOp step : own) {
            step.append(attr);
          }
        });
  }

  /**
   * The reuse policy; with {@link Reuse#SPECIALISED} making the primitive measures plans, which takes seconds.
   *
   * @param policy the policy
   * @return this builder
   */
  public T reuse(Reuse policy) {
    return attribute(attr -> NativeCalls.attrSetReuse(attr, policy.number()));
  }

  /**
   * The math mode.
   *
   * @param mode the mode
   * @return this builder
   */
  public T math(MathMode mode) {
    return attribute(attr -> NativeCalls.attrSetMath(attr, mode.number()));
  }

  /**
   * Forces a kernel, for tests and reports.
   *
   * @param name its name, one of {@link Engine#kernels()}
   * @return this builder
   */
  public T forceKernel(String name) {
    return attribute(attr -> NativeCalls.attrSetKernel(attr, Utf8.of(name, "kernel")));
  }

  /**
   * The most scratch memory that a kernel may need: those that could need more are refused.
   *
   * @param bytes the bytes
   * @return this builder
   */
  public T scratchLimit(long bytes) {
    return attribute(attr -> NativeCalls.attrSetScratchLimit(attr, bytes));
  }

  /**
   * Takes the constants from a file that {@link Weights#save} wrote: it is mapped, nothing is packed, and processes share it. Operands
   * that are tensors are not read then; they say which ones are constant.
   *
   * @param file the file
   * @return this builder
   */
  @SuppressWarnings("unchecked")
  public T weightsFrom(Path file) {
    packed = file;
    return (T) this;
  }

  /**
   * Makes the primitive, in microseconds, and the time that packing constants takes. Optional operands may be left out behind the last one
   * that is given, and before a constant: layer_norm with a bias that is a tensor needs no scale.
   *
   * @return the primitive
   * @throws AnydimException {@link Status#INVALID_ARGUMENT} for what the operator does not accept, {@link Status#UNIMPLEMENTED} with the
   *     refusal of every kernel
   */
  public Primitive create() {
    int count = operands.length;
    while (count > 0 && operands[count - 1] == null) {
      --count;
    }
    List<TensorDesc> inputs = new ArrayList<>();
    List<Tensor> constants = new ArrayList<>();
    List<Integer> places = new ArrayList<>();
    Weights weights = null;
    for (int i = 0; i < count; ++i) {
      Operand x = operands[i];
      if (x == null) {
        for (int later = i + 1; later < count; ++later) {
          if (operands[later] instanceof TensorDesc) {
            throw AnydimException.of(
                Status.UNIMPLEMENTED, "operand " + i + " of " + kind + " is left out and a later one comes with each call; expected a constant");
          }
        }
      } else if (x instanceof TensorDesc) {
        inputs.add((TensorDesc) x);
      } else if (x instanceof Weights && weights == null) {
        weights = (Weights) x;
      } else if (x instanceof Tensor) {
        constants.add((Tensor) x);
        places.add(i);
      } else {
        throw AnydimException.invalid("operand " + i + " of " + kind + " is " + x.getClass().getName() + "; expected one more tensor or descriptor");
      }
    }
    if (weights != null && !constants.isEmpty()) {
      throw AnydimException.invalid("operand " + places.get(0) + " of " + kind + " is a tensor beside packed weights, which hold all constants");
    }
    Weights own = weights;
    long value = withHandles(inputs, (attr, descs) -> make(attr, descs, own, constants, places));
    return new Primitive(engine, value, outputs());
  }

  private interface Made {
    long make(long attr, long[] descs);
  }

  /** Attributes and descriptors live for the call only: what is made with them copies them. */
  private long withHandles(List<TensorDesc> inputs, Made made) {
    long[] descs = new long[inputs.size()];
    long attr = NativeCalls.attrCreate();
    try {
      for (LongConsumer set : attributes) {
        set.accept(attr);
      }
      for (int i = 0; i < descs.length; ++i) {
        descs[i] = inputs.get(i).create();
      }
      return made.make(attr, descs);
    } finally {
      for (long desc : descs) {
        NativeCalls.descDestroy(desc);
      }
      NativeCalls.attrDestroy(attr);
    }
  }

  private long make(long attr, long[] descs, Weights weights, List<Tensor> constants, List<Integer> places) {
    if (packed != null) {
      byte[] path = Utf8.of(packed, "file");
      try (Weights mapped = new Weights(engine.owner().number(e -> NativeCalls.weightsLoad(e, image, attr, descs, path)))) {
        return make(attr, descs, mapped);
      }
    }
    if (constants.isEmpty()) {
      return make(attr, descs, weights);
    }
    Tensor[] tensors = constants.toArray(new Tensor[0]);
    int[] at = places.stream().mapToInt(Integer::intValue).toArray();
    long[] views = Tensor.enter(tensors, "constants");
    try {
      return engine.owner().number(e -> NativeCalls.primitiveCreateWithConstants(e, image, attr, descs, views, at));
    } finally {
      Tensor.leave(tensors);
    }
  }

  private long make(long attr, long[] descs, Weights weights) {
    if (weights == null) {
      return engine.owner().number(e -> NativeCalls.primitiveCreate(e, image, attr, descs, 0));
    }
    return weights.number(w -> engine.owner().number(e -> NativeCalls.primitiveCreate(e, image, attr, descs, w)));
  }
}
