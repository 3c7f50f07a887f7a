// SPDX-License-Identifier: Apache-2.0
// Models that a program puts together from ONNX operators.
package org.anydim;

import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * A graph of ONNX operators, which a program puts together call by call: a model without a file. It has one user at a time. Values are
 * their names.
 *
 * <pre>{@code
 * try (ModelBuilder graph = ModelBuilder.of()) {
 *   graph.opset("", 17).input("x", DType.F32, "batch", 784).constant("w", weights);
 *   graph.node("MatMul", List.of("x", "w"), List.of("h"));
 *   graph.node("Softmax", List.of("h"), List.of("y")).set("axis", 1);
 *   Model model = graph.output("y").load(cpu, Model.options());
 * }
 * }</pre>
 */
public final class ModelBuilder extends NativeObject {
  /** The node that was added last, for its attributes; none may be set once another node was added. */
  public static final class Node {
    private final ModelBuilder graph;

    private Node(ModelBuilder graph) {
      this.graph = graph;
    }

    private Node with(LongConsumer call) {
      graph.change(call);
      return this;
    }

    /**
     * Sets an attribute to an integer.
     *
     * @param attribute its name
     * @param value the value
     * @return this node
     */
    public Node set(String attribute, long value) {
      return with(b -> NativeCalls.modelBuilderSetNodeInteger(b, Utf8.of(attribute, "attribute"), value));
    }

    /**
     * Sets an attribute to a number of binary32.
     *
     * @param attribute its name
     * @param value the value
     * @return this node
     */
    public Node set(String attribute, float value) {
      return with(b -> NativeCalls.modelBuilderSetNodeReal(b, Utf8.of(attribute, "attribute"), value));
    }

    /**
     * Sets an attribute to a text.
     *
     * @param attribute its name
     * @param value the text
     * @return this node
     */
    public Node set(String attribute, String value) {
      return with(
          b -> NativeCalls.modelBuilderSetNodeText(b, Utf8.of(attribute, "attribute"), Utf8.of(value, "value")));
    }

    /**
     * Sets an attribute to a list of integers.
     *
     * @param attribute its name
     * @param values the values
     * @return this node
     */
    public Node set(String attribute, long[] values) {
      return with(b -> NativeCalls.modelBuilderSetNodeIntegers(b, Utf8.of(attribute, "attribute"), values));
    }

    /**
     * Sets an attribute to a list of numbers of binary32.
     *
     * @param attribute its name
     * @param values the values
     * @return this node
     */
    public Node set(String attribute, float[] values) {
      return with(b -> NativeCalls.modelBuilderSetNodeReals(b, Utf8.of(attribute, "attribute"), values));
    }

    /**
     * Sets an attribute to a list of texts.
     *
     * @param attribute its name
     * @param values the texts, at least one
     * @return this node
     */
    public Node set(String attribute, List<String> values) {
      for (String value : values) {
        with(b -> NativeCalls.modelBuilderAppendNodeText(b, Utf8.of(attribute, "attribute"), Utf8.of(value, "value")));
      }
      return this;
    }

    /**
     * Sets an attribute to a tensor, which is copied.
     *
     * @param attribute its name
     * @param value a row-major tensor
     * @return this node
     */
    public Node set(String attribute, Tensor value) {
      Memory memory = value.enterDense("value");
      try {
        byte[] name = Utf8.of(attribute, "attribute");
        int dtype = value.dtype().number();
        return with(b -> NativeCalls.modelBuilderSetNodeTensor(b, name, dtype, value.dims(), memory.address));
      } finally {
        memory.leave();
        Reference.reachabilityFence(value);
      }
    }

    /**
     * Sets an attribute to a body as it is now: a branch of an If, what a Loop or Scan repeats.
     *
     * @param attribute its name
     * @param body another graph, which may be closed afterwards
     * @return this node
     */
    public Node set(String attribute, ModelBuilder body) {
      byte[] name = Utf8.of(attribute, "attribute");
      with(
          b ->
              body.change(
                  other -> {
                    NativeCalls.modelBuilderSetNodeBody(b, name, other);
                    graph.retained.share(body.retained);
                  }));
      return this;
    }
  }

  /** The memory of constants, which stays until the graph is closed, whatever becomes of their tensors. */
  private static final class Retained implements LongConsumer {
    private final List<Memory> memories = new ArrayList<>();

    void share(Retained other) {
      for (Memory memory : other.memories) {
        memory.enter(); // the other one is in it, so it is not closed for good
        memories.add(memory);
      }
    }

    @Override
    public void accept(long builder) {
      NativeCalls.modelBuilderDestroy(builder);
      memories.forEach(Memory::leave);
    }
  }

  private final Retained retained;

  private ModelBuilder(Retained retained) {
    super("model builder", NativeCalls.modelBuilderCreate(), retained);
    this.retained = retained;
  }

  private void change(LongConsumer call) {
    this.<Void>with(
        value -> {
          call.accept(value);
          return null;
        });
  }

  /**
   * An empty graph.
   *
   * @return the graph
   */
  public static ModelBuilder of() {
    return new ModelBuilder(new Retained());
  }

  /**
   * Says which version of a domain's operators the nodes mean, those in bodies too.
   *
   * @param domain the domain; empty for ONNX's own
   * @param version the version
   * @return this graph
   */
  public ModelBuilder opset(String domain, long version) {
    change(b -> NativeCalls.modelBuilderSetOpset(b, Utf8.of(domain, "domain"), version));
    return this;
  }

  /**
   * Adds an input.
   *
   * @param name its name
   * @param dtype the element type
   * @param dims the dims, outermost first: a number, -1 for a dynamic one, or a String, which names a dynamic one; dims of one name are
   *     equal in every run
   * @return this graph
   */
  public ModelBuilder input(String name, DType dtype, Object... dims) {
    long[] numbers = new long[dims.length];
    for (int i = 0; i < dims.length; ++i) {
      if (!(dims[i] instanceof String || dims[i] instanceof Integer || dims[i] instanceof Long)) {
        throw AnydimException.invalid("dims[" + i + "] is " + dims[i] + "; expected a number or a String");
      }
      numbers[i] = dims[i] instanceof String ? -1 : ((Number) dims[i]).longValue();
    }
    byte[] bytes = Utf8.of(name, "name");
    change(
        b -> {
          NativeCalls.modelBuilderAddInput(b, bytes, dtype.number(), numbers);
          for (int i = 0; i < dims.length; ++i) {
            if (dims[i] instanceof String) {
              NativeCalls.modelBuilderSetSymbol(b, bytes, i, Utf8.of((String) dims[i], "dims"));
            }
          }
        });
    return this;
  }

  /**
   * Adds a constant, which is read where it lies when a model is made. The tensor must not be written before that; it may be closed,
   * for its memory stays until the graph is closed. What the model keeps of it is the model's.
   *
   * @param name its name
   * @param value a row-major tensor
   * @return this graph
   */
  public ModelBuilder constant(String name, Tensor value) {
    byte[] bytes = Utf8.of(name, "name");
    int dtype = value.dtype().number();
    Memory memory = value.enterDense("value");
    try {
      change(
          b -> {
            NativeCalls.modelBuilderAddConstant(b, bytes, dtype, value.dims(), memory.address, 0, 0);
            memory.enter();
            retained.memories.add(memory);
          });
    } finally {
      memory.leave();
      Reference.reachabilityFence(value);
    }
    return this;
  }

  /**
   * Adds a node.
   *
   * @param opType the operator, as ONNX calls it
   * @param inputs the names of its inputs; an empty one is absent
   * @param outputs the names of its outputs; an empty one is not wanted
   * @return the node, for its attributes
   */
  public Node node(String opType, List<String> inputs, List<String> outputs) {
    return node(opType, "", "", inputs, outputs);
  }

  /**
   * Adds a node.
   *
   * @param opType the operator, as ONNX calls it
   * @param domain its domain; empty for ONNX's own
   * @param name the node's name, by which errors call it; empty: that of its first output
   * @param inputs the names of its inputs; an empty one is absent
   * @param outputs the names of its outputs; an empty one is not wanted
   * @return the node, for its attributes
   */
  public Node node(String opType, String domain, String name, List<String> inputs, List<String> outputs) {
    change(
        b -> {
          NativeCalls.modelBuilderAddNode(b, Utf8.of(opType, "opType"), Utf8.of(domain, "domain"), Utf8.of(name, "name"));
          for (String value : inputs) {
            NativeCalls.modelBuilderAddNodeInput(b, Utf8.of(value, "inputs"));
          }
          for (String value : outputs) {
            NativeCalls.modelBuilderAddNodeOutput(b, Utf8.of(value, "outputs"));
          }
        });
    return new Node(this);
  }

  /**
   * Makes values outputs, in this order.
   *
   * @param names the values' names
   * @return this graph
   */
  public ModelBuilder output(String... names) {
    for (String name : names) {
      change(b -> NativeCalls.modelBuilderAddOutput(b, Utf8.of(name, "names")));
    }
    return this;
  }

  /**
   * Makes a model of the graph, which stays as it is.
   *
   * @param engine the engine
   * @param options the options
   * @return the model
   * @throws AnydimException {@link Status#INVALID_MODEL} names the node and what is wrong with it, {@link Status#UNIMPLEMENTED} the
   *     operators that are missing
   */
  public Model load(Engine engine, Model.Options options) {
    return Model.built(options, own -> number(b -> engine.owner().number(e -> NativeCalls.modelBuilderCreateModel(b, e, own))));
  }
}
