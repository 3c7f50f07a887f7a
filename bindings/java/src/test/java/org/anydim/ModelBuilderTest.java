// SPDX-License-Identifier: Apache-2.0
// Models that a program builds: any shape, constants whose tensors were closed, bodies, attributes, failures with their node.
package org.anydim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class ModelBuilderTest {
  private static final Engine CPU = Engine.cpu();

  @AfterAll
  static void close() {
    CPU.close();
  }

  private static float[] run(ModelBuilder graph, Map<String, Tensor> inputs) {
    try (Model model = graph.load(CPU, Model.options());
        Session session = Session.of(model, Session.threads(1));
        Outputs outputs = session.run(inputs)) {
      return outputs.get(0).toFloatArray();
    }
  }

  @Test
  void aLayerOfAnyNumberOfRows() {
    try (ModelBuilder graph = ModelBuilder.of()) {
      graph.opset("", 17).input("x", DType.F32, "batch", 3);
      try (Tensor weights = Tensor.copyOf(new float[] {1, 2, 3, 4, 5, 6}, 2, 3);
          Tensor bias = Tensor.copyOf(new float[] {10, 20}, 2)) {
        graph.constant("w", weights).constant("b", bias);
      } // closed, and yet there
      graph.node("Gemm", List.of("x", "w", "b"), List.of("y")).set("transB", 1).set("alpha", 2f);
      graph.output("y");
      try (Tensor one = Tensor.copyOf(new float[] {1, 0, 0}, 1, 3);
          Tensor two = Tensor.copyOf(new float[] {0, 1, 0, 0, 0, 1}, 2, 3)) {
        assertArrayEquals(new float[] {12, 28}, run(graph, Map.of("x", one)));
        assertArrayEquals(new float[] {14, 30, 16, 32}, run(graph, Map.of("x", two)));
      }
      try (Model model = graph.load(CPU, Model.options())) {
        assertEquals("x", model.inputs().get(0).name());
      }
    }
  }

  @Test
  void aBranchReadsWhatIsAroundIt() {
    try (ModelBuilder graph = ModelBuilder.of();
        Tensor ten = Tensor.copyOf(new float[] {10});
        Tensor x = Tensor.copyOf(new float[] {1, 2}, 2);
        Tensor yes = Tensor.allocate(DType.BOOL)) {
      graph.opset("", 17).input("yes", DType.BOOL).input("x", DType.F32, -1);
      try (ModelBuilder then = ModelBuilder.of();
          ModelBuilder otherwise = ModelBuilder.of()) {
        then.constant("ten", ten).node("Add", List.of("x", "ten"), List.of("r"));
        otherwise.node("Neg", List.of("x"), List.of("r"));
        graph
            .node("If", List.of("yes"), List.of("y"))
            .set("then_branch", then.output("r"))
            .set("else_branch", otherwise.output("r"));
      } // closed, and yet in the graph
      graph.output("y");
      assertArrayEquals(new float[] {-1, -2}, run(graph, Map.of("x", x, "yes", yes)));
      yes.buffer().put(0, (byte) 1);
      assertArrayEquals(new float[] {11, 12}, run(graph, Map.of("x", x, "yes", yes)));
    }
  }

  @Test
  void attributesOfEveryType() {
    try (ModelBuilder graph = ModelBuilder.of();
        Tensor half = Tensor.copyOf(new float[] {0.5f}, 1);
        Tensor x = Tensor.copyOf(new float[] {1, 2, 3, 4}, 1, 1, 2, 2)) {
      graph.opset("", 17).input("x", DType.F32, 1, 1, "h", "w");
      graph
          .node("MaxPool", List.of("x"), List.of("pooled"))
          .set("kernel_shape", new long[] {2, 2})
          .set("auto_pad", "VALID");
      graph.node("Constant", List.of(), List.of("half")).set("value", half);
      graph.node("Constant", List.of(), List.of("more")).set("value_floats", new float[] {0.25f});
      graph.node("Sum", List.of("pooled", "half", "more"), List.of("y"));
      assertArrayEquals(new float[] {4.75f}, run(graph.output("y"), Map.of("x", x)));
    }
    try (ModelBuilder graph = ModelBuilder.of();
        Tensor weights = Tensor.copyOf(new float[] {0.5f}, 1, 1, 1);
        Tensor x = Tensor.copyOf(new float[] {4, 8}, 2, 1, 1)) {
      graph.opset("", 17).input("x", DType.F32, 2, 1, 1).constant("w", weights).constant("r", weights);
      graph
          .node("RNN", List.of("x", "w", "r"), List.of("", "y"))
          .set("hidden_size", 1)
          .set("activations", List.of("Relu"));
      assertArrayEquals(new float[] {5}, run(graph.output("y"), Map.of("x", x)));
    }
  }

  @Test
  void whatIsWrongNamesTheNode() {
    try (ModelBuilder graph = ModelBuilder.of()) {
      graph.opset("", 17).input("x", DType.F32, 2, 3);
      graph.node("Softmax", "", "last", List.of("x"), List.of("y")).set("axis", 5);
      graph.output("y");
      AnydimException failure = assertThrows(AnydimException.class, () -> graph.load(CPU, Model.options()));
      assertEquals(Status.INVALID_MODEL, failure.status());
      assertEquals("last", failure.node());
      assertTrue(failure.getMessage().contains("axis is 5"), failure.getMessage());
      failure = assertThrows(AnydimException.class, () -> graph.input("x", DType.F32, 1));
      assertTrue(failure.getMessage().contains("'x'"), failure.getMessage());
      failure = assertThrows(AnydimException.class, () -> graph.input("z", DType.F32, 1.5));
      assertTrue(failure.getMessage().contains("dims[0] is 1.5"), failure.getMessage());
    }
  }
}
