// SPDX-License-Identifier: Apache-2.0
// Every operator through its builder: the examples of the description at two shapes, by the chosen kernel and by the scalar reference.
package org.anydim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class OperatorsTest {
  private static final Engine CPU = Engine.cpu();
  private static final long MOST = 4096;

  @AfterAll
  static void close() {
    CPU.close();
  }

  static List<OperatorExample> examples() {
    return OperatorExamples.ALL;
  }

  private static Operand[] descriptors(OperatorExample example) {
    return example.inputs.stream()
        .map(
            i ->
                TensorDesc.of(
                    i.dtype,
                    IntStream.range(0, i.dims.length)
                        .mapToObj(d -> i.dims[d] == i.otherDims[d] ? Dim.of(i.dims[d]) : Dim.dynamic(0, MOST))
                        .toArray(Dim[]::new)))
        .toArray(Operand[]::new);
  }

  @ParameterizedTest
  @MethodSource("examples")
  void anOperatorGivesTheReferencesBitsAtTwoShapes(OperatorExample example) {
    Random random = Support.random("operators");
    Operand[] descs = descriptors(example);
    Operand[] packed = descs.clone();
    List<Tensor> constants = new ArrayList<>();
    for (int i = 0; i < packed.length; ++i) {
      OperatorExample.Input in = example.inputs.get(i);
      if (in.constant && Arrays.equals(in.dims, in.otherDims)) {
        packed[i] = Support.random(random, in.dtype, in.dims, in.low, in.high);
        constants.add((Tensor) packed[i]);
      }
    }
    String forced = ReferenceKernels.of(CPU, example.kind);
    try (Primitive chosen = example.builder.apply(CPU, packed).create();
        Primitive checked = example.builder.apply(CPU, descs).forceKernel(forced).create()) {
      assertEquals(forced, checked.kernel());
      for (boolean first : new boolean[] {true, false}) {
        List<Tensor> all = new ArrayList<>();
        List<Tensor> comingWithTheCall = new ArrayList<>();
        for (int i = 0; i < packed.length; ++i) {
          OperatorExample.Input in = example.inputs.get(i);
          boolean constant = packed[i] instanceof Tensor;
          Tensor t = constant ? (Tensor) packed[i] : Support.random(random, in.dtype, first ? in.dims : in.otherDims, in.low, in.high);
          all.add(t);
          if (!constant) {
            comingWithTheCall.add(t);
          }
        }
        try (Outputs got = chosen.execute(comingWithTheCall.toArray(new Tensor[0]));
            Outputs expected = checked.execute(all.toArray(new Tensor[0]))) {
          assertEquals(expected.size(), got.size());
          for (int i = 0; i < got.size(); ++i) {
            assertArrayEquals(expected.get(i).dims(), got.get(i).dims());
            assertArrayEquals(expected.get(i).toByteArray(), got.get(i).toByteArray());
            assertArrayEquals(got.get(i).dims(), chosen.outputDims(i, comingWithTheCall.toArray(new Tensor[0])));
          }
        }
        comingWithTheCall.forEach(Tensor::close);
      }
    }
    constants.forEach(Tensor::close);
  }

  @Test
  void everyDescribedOperatorIsRun() {
    assertEquals(
        OperatorExamples.DESCRIBED, OperatorExamples.ALL.stream().map(e -> e.kind).collect(Collectors.toSet()).size());
  }

  @Test
  void weightsAreSharedUpdatedSavedAndMapped(@TempDir Path folder) {
    TensorDesc rows = TensorDesc.f32(Dim.dynamic(1, 64), Dim.of(2));
    try (Tensor ones = Tensor.copyOf(new float[] {1, 1}, 2, 1);
        Tensor twos = Tensor.copyOf(new float[] {2, 2}, 2, 1);
        Tensor x = Tensor.copyOf(new float[] {3, 4}, 1, 2);
        Primitive first = CPU.matmul(rows, ones).create();
        Weights weights = first.weights();
        Primitive second = CPU.matmul(rows, weights).create()) {
      assertTrue(weights.bytes() > 0);
      assertEquals(1, weights.version());
      assertEquals(2, weights.update(twos));
      try (Outputs y = second.execute(x)) {
        assertArrayEquals(new float[] {14}, y.get(0).toFloatArray());
      }
      weights.save(folder.resolve("sum.weights"));
      try (Primitive mapped = CPU.matmul(rows, ones).weightsFrom(folder.resolve("sum.weights")).create();
          Outputs y = mapped.execute(x)) {
        assertArrayEquals(new float[] {14}, y.get(0).toFloatArray());
      }
      Support.fails(Status.INVALID_ARGUMENT, "beside packed weights", () -> CPU.matmul(weights, ones).create());
    }
  }

  /** Of the operators described, layer_norm has one: its scale. A scale of ones gives the same bits. */
  @Test
  void anOptionalOperandMayBeLeftOutBeforeAConstant(@TempDir Path folder) {
    Random random = Support.random("left out");
    TensorDesc rows = TensorDesc.f32(Dim.dynamic(1, 64), Dim.of(40));
    Path file = folder.resolve("bias.weights");
    float[] one = new float[40];
    Arrays.fill(one, 1);
    try (Tensor bias = Support.random(random, DType.F32, new long[] {40}, 0, 0);
        Tensor ones = Tensor.copyOf(one, 40);
        Primitive none = CPU.layerNorm(rows).create();
        Primitive scaled = CPU.layerNorm(rows).scale(ones).bias(bias).create();
        Primitive chosen = CPU.layerNorm(rows).bias(bias).create();
        Primitive reference = CPU.layerNorm(rows).bias(bias).forceKernel("layer_norm.reference").create();
        Weights packed = chosen.weights();
        Primitive shared = CPU.layerNorm(rows).bias(packed).create()) {
      packed.save(file);
      try (Primitive mapped = CPU.layerNorm(rows).bias(bias).weightsFrom(file).create()) {
        for (int count : new int[] {3, 7}) {
          try (Tensor x = Support.random(random, DType.F32, new long[] {count, 40}, 0, 0);
              Outputs expected = scaled.execute(x);
              Outputs without = none.execute(x)) {
            assertFalse(Arrays.equals(without.get(0).toByteArray(), expected.get(0).toByteArray()), "the bias counts");
            for (Primitive each : new Primitive[] {chosen, reference, shared, mapped}) {
              try (Outputs got = each.execute(x)) {
                assertArrayEquals(expected.get(0).toByteArray(), got.get(0).toByteArray());
              }
            }
          }
        }
      }
    }
  }

  @Test
  void postOpsTakeFurtherTensors() {
    try (Primitive p = CPU.unary(TensorDesc.f32(Dim.of(3)), UnaryFunction.NEG).postOps(PostOp.relu(), PostOp.of(BinaryFunction.ADD)).create();
        Tensor x = Tensor.copyOf(new float[] {1, -2, 3}, 3);
        Tensor more = Tensor.copyOf(new float[] {10, 20, 30}, 3);
        Tensor y = Tensor.allocateF32(3)) {
      p.executeInto(new Tensor[] {x, more}, new Tensor[] {y});
      assertArrayEquals(new float[] {10, 22, 30}, y.toFloatArray());
      assertTrue(p.explain(x, more).contains("\"kernel\""));
    }
  }

  @Test
  void scalesAndZeroPointsSayWhatBytesStandFor() {
    TensorDesc bytes = TensorDesc.of(DType.U8, Dim.of(1), Dim.of(2));
    try (Tensor b = Tensor.allocate(DType.I8, 2, 1)) {
      b.buffer().put((byte) 1).put((byte) -2);
      try (Primitive p =
              CPU.matmul(bytes, b)
                  .scale(QuantizedOperand.INPUT_0, 0.5f)
                  .zeroPoint(QuantizedOperand.INPUT_0, 128)
                  .scale(QuantizedOperand.INPUT_1, 2f)
                  .resultType(DType.F32)
                  .create();
          Tensor a = Tensor.allocate(DType.U8, 1, 2)) {
        a.buffer().put((byte) 138).put((byte) 118);
        try (Outputs y = p.execute(a)) {
          assertArrayEquals(new float[] {30}, y.get(0).toFloatArray());
        }
      }
    }
  }

  @Test
  void aPrimitiveGoesOnAfterItsEngineWasClosed() {
    Primitive relu;
    try (Engine gone = Engine.cpu()) {
      relu = gone.unary(TensorDesc.f32(Dim.dynamic(1, 8)), UnaryFunction.RELU).create();
    }
    try (relu;
        Tensor x = Tensor.copyOf(new float[] {-1, 1}, 2);
        Outputs y = relu.execute(x)) {
      assertArrayEquals(new float[] {0, 1}, y.get(0).toFloatArray());
    }
  }
}
