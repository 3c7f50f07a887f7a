// SPDX-License-Identifier: Apache-2.0
// Bad input: each is an exception with a status and a message that names the argument, what was found, and what was expected.
package org.anydim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ErrorsTest {
  private static final Engine CPU = Engine.cpu();
  private static final Model TINY = TinyModels.load(CPU, TinyModels.relu());
  private static final Session SESSION = Session.of(TINY, Session.threads(1));

  @AfterAll
  static void close() {
    SESSION.close();
    TINY.close();
    CPU.close();
  }

  @Test
  void filesThatAreNoModels(@TempDir Path folder) throws Exception {
    Path missing = folder.resolve("missing.onnx");
    AnydimException failure = Support.fails(Status.FILE_NOT_FOUND, "missing.onnx", () -> Model.load(CPU, missing));
    assertEquals("anydim_model_load_file", failure.function());
    Path damaged = Files.write(folder.resolve("damaged.onnx"), new byte[] {1, 2, 3});
    Support.fails(Status.INVALID_MODEL, "", () -> Model.load(CPU, damaged));
    byte[] whole = TinyModels.relu();
    Support.fails(
        Status.INVALID_MODEL, "", () -> TinyModels.load(CPU, Arrays.copyOf(whole, whole.length - 9)));
    byte[] unknown = TinyModels.oneNode("Frobnicate", "x", "y", "n");
    Support.fails(Status.UNIMPLEMENTED, "Frobnicate", () -> TinyModels.load(CPU, unknown));
  }

  @Test
  void namesThatTheModelLacks() {
    try (Tensor x = Tensor.allocateF32(1, 2)) {
      Support.fails(Status.INVALID_ARGUMENT, "inputs has no 'x'", () -> SESSION.run(Map.of()));
      Support.fails(Status.NOT_FOUND, "no input 'z'", () -> SESSION.run(Map.of("z", x)));
      Support.fails(Status.NOT_FOUND, "no input 'z'; its inputs are [x]", () -> SESSION.run(Map.of("x", x, "z", x)));
      Support.fails(Status.NOT_FOUND, "no output 'w'", () -> SESSION.run(Map.of("x", x), new RunOptions().outputs("w")));
      Support.fails(Status.INVALID_ARGUMENT, "twice", () -> SESSION.run(Map.of("x", x), new RunOptions().outputs("y", "y")));
      Support.fails(
          Status.NOT_FOUND, "z", () -> Session.of(TINY, Session.options().bounds(Bounds.of("z", Dim.of(1)))));
    }
  }

  @Test
  void tensorsThatDoNotFit() {
    try (Tensor integers = Tensor.allocate(DType.I32, 1, 2);
        Tensor flat = Tensor.allocateF32(2);
        Tensor x = Tensor.allocateF32(1, 2);
        Tensor wrong = Tensor.allocateF32(1, 3)) {
      AnydimException failure = Support.fails(Status.INVALID_ARGUMENT, "i32", () -> SESSION.run(Map.of("x", integers)));
      assertEquals("inputs[0]", failure.argument());
      Support.fails(Status.INVALID_ARGUMENT, "rank", () -> SESSION.run(Map.of("x", flat)));
      Support.fails(Status.INVALID_ARGUMENT, "3", () -> SESSION.runInto(new Tensor[] {x}, new Tensor[] {wrong}));
      Support.fails(Status.INVALID_ARGUMENT, "", () -> SESSION.runInto(new Tensor[] {x, x}, new Tensor[] {null}));
      Support.fails(Status.INVALID_ARGUMENT, "", () -> SESSION.runInto(new Tensor[] {x}, new Tensor[] {null, null}));
      assertThrows(NullPointerException.class, () -> SESSION.runInto(new Tensor[] {null}, new Tensor[] {null}));
    }
  }

  @Test
  void tensorsThatCannotBe() {
    Support.fails(Status.INVALID_ARGUMENT, "dims[1] is -3; expected 0 or more", () -> Tensor.allocateF32(1, -3));
    Support.fails(Status.INVALID_ARGUMENT, "dims has 9 entries", () -> Tensor.allocateF32(1, 1, 1, 1, 1, 1, 1, 1, 1));
    Support.fails(Status.INVALID_ARGUMENT, "larger than", () -> Tensor.allocateF32(1L << 40, 1L << 40));
    Support.fails(Status.OUT_OF_MEMORY, "", () -> Tensor.allocateF32(1L << 50));
    Support.fails(Status.INVALID_ARGUMENT, "values has 3 elements", () -> Tensor.copyOf(new float[3], 2, 2));
    Support.fails(Status.INVALID_ARGUMENT, "on the heap", () -> Tensor.of(ByteBuffer.allocate(16), DType.F32, 4));
    Support.fails(Status.INVALID_ARGUMENT, "16 bytes left", () -> Tensor.of(ByteBuffer.allocateDirect(16), DType.F32, 5));
    Support.fails(Status.INVALID_ARGUMENT, "read-only", () -> Tensor.of(ByteBuffer.allocateDirect(16).asReadOnlyBuffer(), DType.F32, 4));
    ByteBuffer odd = ByteBuffer.allocateDirect(17);
    odd.position(1);
    Support.fails(Status.INVALID_ARGUMENT, "multiple of 4", () -> Tensor.of(odd, DType.F32, 4));
    assertThrows(NullPointerException.class, () -> Tensor.allocate(null, 1));
    try (Tensor x = Tensor.allocateF32(2)) {
      Support.fails(Status.INVALID_ARGUMENT, "are F32; expected I64", x::toLongArray);
    }
    try (Tensor empty = Tensor.allocateF32(0, 5)) {
      assertEquals(0, empty.toFloatArray().length);
    }
  }

  @Test
  void optionsThatMakeNoSense() {
    AnydimException failure = Support.fails(Status.INVALID_ARGUMENT, "threads is -1", () -> Engine.cpu(Engine.options().threads(-1)));
    assertEquals("options.threads", failure.argument());
    Support.fails(Status.INVALID_ARGUMENT, "contexts", () -> Session.of(TINY, Session.options().contexts(-1)));
    Support.fails(Status.INVALID_ARGUMENT, "min", () -> Session.of(TINY, Session.options().bounds(Bounds.of("x", Dim.dynamic(4, 1), Dim.of(1)))));
  }

  @Test
  void operatorsThatCannotBe() {
    TensorDesc image = TensorDesc.f32(Dim.of(1), Dim.of(3), Dim.of(8), Dim.of(8));
    TensorDesc kernel = TensorDesc.f32(Dim.of(4), Dim.of(3), Dim.of(3), Dim.of(3));
    Support.fails(Status.INVALID_ARGUMENT, "strides has 3 numbers; expected 1 or 2", () -> CPU.convolution(image, kernel).strides(1, 2, 3));
    Support.fails(Status.INVALID_ARGUMENT, "pads has 3 numbers; expected 1, 2 or 4", () -> CPU.convolution(image, kernel).pads(1, 2, 3));
    Support.fails(Status.INVALID_ARGUMENT, "group", () -> CPU.convolution(image, kernel).group(0).create());
    Support.fails(Status.NOT_FOUND, "no.such.kernel", () -> CPU.convolution(image, kernel).forceKernel("no.such.kernel").create());
    Support.fails(Status.INVALID_ARGUMENT, "", () -> CPU.matmul(image, TensorDesc.f32(Dim.of(7), Dim.of(7))).create());
    TensorDesc row = TensorDesc.f32(Dim.of(8));
    Support.fails(
        Status.UNIMPLEMENTED,
        "operand 1 of layer_norm is left out and a later one comes with each call; expected a constant",
        () -> CPU.layerNorm(image).bias(row).create());
    try (Tensor c = Tensor.allocateF32(8)) {
      Support.fails(Status.INVALID_ARGUMENT, "input 1 is neither constant nor described", () -> CPU.matmul(row, null).c(c).create());
    }
    try (Primitive conv = CPU.convolution(image, kernel).create()) {
      Support.fails(Status.NOT_FOUND, "", conv::weights);
      try (Tensor x = Tensor.allocateF32(1, 3, 8, 9)) {
        Support.fails(Status.INVALID_ARGUMENT, "", () -> conv.execute(x));
        Support.fails(Status.OUT_OF_BOUNDS, "9", () -> conv.execute(x, Tensor.allocateF32(4, 3, 3, 3)));
      }
    }
  }

  @Test
  void textsThatCHasNoWordsFor(@TempDir Path folder) throws Exception {
    byte[] model = TinyModels.oneNode("Relu", "Eingang \u00fc\ud83d\ude00", "y", "n");
    Path file = folder.resolve("Modell \u6a21\u578b \ud83d\ude00.onnx");
    Files.write(file, model);
    try (Session session = Session.open(CPU, file);
        Tensor x = Tensor.copyOf(new float[] {-1, 1}, 2)) {
      assertEquals("Eingang \u00fc\ud83d\ude00", session.inputs().get(0).name());
      session.run(Map.of("Eingang \u00fc\ud83d\ude00", x)).close();
    }
    AnydimException failure = assertThrows(AnydimException.class, () -> Model.load(CPU, folder.resolve("fehlt \ud83d\ude00.onnx")));
    assertTrue(failure.getMessage().contains("fehlt \ud83d\ude00.onnx"), failure.getMessage());
    Support.fails(Status.INVALID_ARGUMENT, "zero at 1", () -> Session.of(TINY, Session.options().bounds(Bounds.of("x\0", Dim.of(1)))));
    Support.fails(Status.INVALID_ARGUMENT, "surrogate", () -> Session.of(TINY, Session.options().bounds(Bounds.of("x\ud83d", Dim.of(1)))));
  }
}
