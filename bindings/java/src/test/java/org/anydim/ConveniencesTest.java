// SPDX-License-Identifier: Apache-2.0
// What people of Java expect besides: models from bytes, arrays of arrays, futures, the platform's log, exceptions to catch by their class.
package org.anydim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ResourceBundle;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class ConveniencesTest {
  private static final Engine CPU = Engine.cpu();

  @AfterAll
  static void close() {
    CPU.close();
  }

  @Test
  void aSessionOfBytesIsThatOfTheFile() throws Exception {
    byte[] bytes = Files.readAllBytes(Support.model("cls.onnx"));
    try (Session fromBytes = Session.open(CPU, bytes, Session.threads(1));
        Session fromFile = Session.open(CPU, Support.model("cls.onnx"), Session.threads(1));
        Tensor x = Tensor.allocateF32(1, 3, 48, 192);
        Outputs a = fromBytes.run(Map.of("x", x));
        Outputs b = fromFile.run(Map.of("x", x));
        Model model = fromBytes.model()) {
      assertArrayEquals(b.get(0).toFloatArray(), a.get(0).toFloatArray());
      assertEquals("x", model.inputs().get(0).name());
    }
    byte[] damaged = {1, 2, 3};
    assertThrows(AnydimException.InvalidModel.class, () -> Session.open(CPU, damaged));
  }

  @Test
  void arraysOfArraysBecomeTensorsAndComeBack() {
    float[][][] f32 = {{{1, 2, 3}, {4, 5, 6}}, {{-1, -2, -3}, {-4, -5, -6}}};
    try (Tensor t = Tensor.copyOfNested(f32)) {
      assertEquals(DType.F32, t.dtype());
      assertArrayEquals(new long[] {2, 2, 3}, t.dims());
      assertArrayEquals(new float[] {1, 2, 3, 4, 5, 6, -1, -2, -3, -4, -5, -6}, t.toFloatArray());
      assertArrayEquals(f32, (float[][][]) t.toNestedArray());
    }
    Object[] arrays = {
      new double[][] {{0.5, -0.5}},
      new long[][] {{1, Long.MIN_VALUE}, {3, 4}},
      new int[] {7, -8, 9},
      new short[][] {{1}, {-2}},
      new byte[] {-128, 127},
      new boolean[][] {{true, false, true}},
      new float[0][],
      new float[2][0],
    };
    DType[] dtypes = {DType.F64, DType.I64, DType.I32, DType.I16, DType.I8, DType.BOOL, DType.F32, DType.F32};
    long[][] dims = {{1, 2}, {2, 2}, {3}, {2, 1}, {2}, {1, 3}, {0, 0}, {2, 0}};
    for (int i = 0; i < arrays.length; ++i) {
      try (Tensor t = Tensor.copyOfNested(arrays[i])) {
        assertEquals(dtypes[i], t.dtype());
        assertArrayEquals(dims[i], t.dims());
        assertArrayEquals(new Object[] {arrays[i]}, new Object[] {t.toNestedArray()});
      }
    }
  }

  @Test
  void typesThatJavaLacksComeAsTheirBits() {
    short[][] halves = {{0x3C00, (short) 0xC000}}; // 1 and -2
    try (Tensor t = Tensor.copyOfNested(DType.F16, halves)) {
      assertEquals(DType.F16, t.dtype());
      assertArrayEquals(halves, (short[][]) t.toNestedArray());
      assertArrayEquals(halves[0], t.toShortArray());
    }
    try (Tensor t = Tensor.copyOfNested(DType.U8, new byte[] {-1})) {
      assertArrayEquals(new byte[] {-1}, t.toByteArray());
    }
    try (Tensor t = Tensor.copyOf(new double[] {1, 2}, 2, 1);
        Tensor b = Tensor.copyOf(new boolean[] {true, false}, 2);
        Tensor s = Tensor.copyOf(new short[] {5}, 1)) {
      assertArrayEquals(new double[] {1, 2}, t.toDoubleArray());
      assertArrayEquals(new boolean[] {true, false}, b.toBooleanArray());
      assertArrayEquals(new short[] {5}, s.toShortArray());
      Support.fails(Status.INVALID_ARGUMENT, "elements are F64", t::toBooleanArray);
    }
  }

  @Test
  void arraysThatAreNoTensorAreRefused() {
    Support.fails(Status.INVALID_ARGUMENT, "dim 1 has 1 entries; expected 2", () -> Tensor.copyOfNested(new float[][] {{1, 2}, {3}}));
    Support.fails(Status.INVALID_ARGUMENT, "java.lang.String", () -> Tensor.copyOfNested(new String[] {"a"}));
    Support.fails(Status.INVALID_ARGUMENT, "char", () -> Tensor.copyOfNested(new char[] {'a'}));
    Support.fails(Status.INVALID_ARGUMENT, "float; F16 takes short", () -> Tensor.copyOfNested(DType.F16, new float[] {1}));
    Support.fails(Status.INVALID_ARGUMENT, "rank above 8", () -> Tensor.copyOfNested(new int[1][1][1][1][1][1][1][1][1]));
    assertThrows(NullPointerException.class, () -> Tensor.copyOfNested(new float[][] {{1}, null}));
  }

  @Test
  void futuresHaveTheResultsOfRuns() throws Exception {
    try (Session cls = Session.open(CPU, Support.model("cls.onnx"), Session.threads(1));
        Tensor x = Tensor.allocateF32(1, 3, 48, 192);
        Outputs expected = cls.run(Map.of("x", x))) {
      List<CompletableFuture<float[]>> running = new ArrayList<>();
      for (int i = 0; i < 20; ++i) {
        running.add(
            cls.runAsync(Map.of("x", x))
                .thenApply(
                    y -> {
                      try (y) {
                        return y.get(0).toFloatArray();
                      }
                    }));
      }
      for (CompletableFuture<float[]> run : running) {
        assertArrayEquals(expected.get(0).toFloatArray(), run.get());
      }
      CompletionException failed = assertThrows(CompletionException.class, () -> cls.runAsync(Map.of("z", x)).join());
      assertInstanceOf(AnydimException.NotFound.class, failed.getCause());
    }
  }

  @Test
  void aCancelledFutureEndsItsRun() throws Exception {
    ExecutorService one = Executors.newSingleThreadExecutor();
    try (Session cls = Session.open(CPU, Support.model("cls.onnx"), Session.threads(1));
        Tensor x = Tensor.allocateF32(64, 3, 48, 192)) {
      // One waits behind another: it never begins.
      CountDownLatch begin = new CountDownLatch(1);
      one.execute(
          () -> {
            try {
              begin.await();
            } catch (InterruptedException ended) {
              Thread.currentThread().interrupt();
            }
          });
      CompletableFuture<Outputs> waiting = cls.runAsync(Map.of("x", x), new RunOptions(), one);
      assertTrue(waiting.cancel(true));
      begin.countDown();
      assertThrows(CancellationException.class, waiting::join);
      // At random moments of runs; each result belongs to nobody and is closed.
      for (int i = 0; i < 20; ++i) {
        CompletableFuture<Outputs> run = cls.runAsync(Map.of("x", x), new RunOptions(), one);
        Thread.sleep(i % 5);
        if (run.cancel(true)) {
          assertTrue(run.isCancelled());
        } else {
          run.join().close();
        }
      }
      try (Outputs after = cls.runAsync(Map.of("x", x), new RunOptions(), one).join()) {
        assertEquals(64, after.get(0).dims()[0]);
      }
      one.shutdown();
      assertThrows(RejectedExecutionException.class, () -> cls.runAsync(Map.of("x", x), new RunOptions(), one));
    } finally {
      one.shutdownNow();
    }
  }

  /** A logger of the platform that keeps what it gets. */
  private static final class Kept implements System.Logger {
    final List<String> lines = new ArrayList<>();
    final Level least;

    Kept(Level least) {
      this.least = least;
    }

    @Override
    public String getName() {
      return "kept";
    }

    @Override
    public boolean isLoggable(Level level) {
      return level.getSeverity() >= least.getSeverity();
    }

    @Override
    public synchronized void log(Level level, ResourceBundle bundle, String line, Throwable thrown) {
      lines.add(level + " " + line);
    }

    @Override
    public synchronized void log(Level level, ResourceBundle bundle, String format, Object... parameters) {
      lines.add(level + " " + format);
    }
  }

  @Test
  void linesGoToALoggerOfThePlatform() {
    Kept debug = new Kept(System.Logger.Level.DEBUG);
    Kept warning = new Kept(System.Logger.Level.WARNING);
    try {
      Log.set(debug);
      assertThrows(AnydimException.InvalidArgument.class, () -> Engine.cpu(Engine.options().threads(-1)));
      assertTrue(debug.lines.stream().anyMatch(line -> line.startsWith("DEBUG ") && line.contains("threads")), debug.lines::toString);
      Log.set(warning);
      assertThrows(AnydimException.InvalidArgument.class, () -> Engine.cpu(Engine.options().threads(-1)));
      assertTrue(warning.lines.isEmpty(), warning.lines::toString);
      Log.level(LogLevel.DEBUG);
      assertThrows(AnydimException.InvalidArgument.class, () -> Engine.cpu(Engine.options().threads(-1)));
      assertFalse(warning.lines.isEmpty(), "the level alone was set, and the sink stays");
      Log.toSystemLogger();
    } finally {
      Log.set(LogLevel.WARNING);
    }
  }

  @Test
  void eachStatusHasItsException() {
    for (Status status : Status.values()) {
      if (status == Status.OK) {
        continue;
      }
      AnydimException failure = AnydimException.of(status, "it failed");
      assertEquals(status, failure.status());
      StringBuilder expected = new StringBuilder();
      for (String word : status.name().split("_")) {
        expected.append(word.charAt(0)).append(word.substring(1).toLowerCase());
      }
      assertEquals(expected.toString(), failure.getClass().getSimpleName());
    }
    Session closed = Session.open(CPU, TinyModels.relu());
    closed.close();
    try (Tensor x = Tensor.allocateF32(1, 2)) {
      AnydimException.Closed failure = assertThrows(AnydimException.Closed.class, () -> closed.run(Map.of("x", x)));
      assertEquals("the session is closed", failure.getMessage());
    }
  }
}
