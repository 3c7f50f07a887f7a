// SPDX-License-Identifier: Apache-2.0
// Models and sessions as programs use them: shapes that change, outputs placed and given, names, bounds, options.
package org.anydim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SessionTest {
  private static final Engine CPU = Engine.cpu();

  @AfterAll
  static void close() {
    CPU.close();
  }

  @Test
  void aRecogniserRunsAtThreeWidths() {
    try (Session rec = Session.open(CPU, Support.model("rec.onnx"), Session.threads(2))) {
      for (int width : new int[] {71, 320, 513}) {
        try (Tensor x = Tensor.allocateF32(1, 3, 48, width);
            Outputs y = rec.run(Map.of("x", x))) {
          assertEquals(3, y.get(0).rank());
          assertEquals(1, y.get(0).dims()[0]);
          float sum = 0;
          for (float p : y.get(0).toFloatArray()) {
            sum += p;
          }
          assertEquals(y.get(0).dims()[1], sum, 0.1); // each row is a distribution
        }
      }
    }
  }

  @Test
  void callersAreJoinedAndEachGetsItsOwnRows() throws InterruptedException {
    Batching batching = new Batching().rows(4).longestWait(Duration.ofMillis(2)).waiting(100);
    try (Session alone = Session.open(CPU, Support.model("cls.onnx"));
        Session cls = Session.open(CPU, Support.model("cls.onnx"), Session.options().batching(batching))) {
      AtomicInteger right = new AtomicInteger();
      Thread[] callers = new Thread[4];
      for (int c = 0; c < callers.length; ++c) {
        long rows = 1 + c % 2;
        callers[c] =
            new Thread(
                () -> {
                  try (Tensor x = Support.random(Support.random("batching"), DType.F32, new long[] {rows, 3, 48, 64}, 0, 0);
                      Outputs expected = alone.run(Map.of("x", x))) {
                    for (int k = 0; k < 5; ++k) {
                      try (Outputs y = cls.run(Map.of("x", x))) {
                        right.addAndGet(Arrays.equals(expected.get(0).toFloatArray(), y.get(0).toFloatArray()) ? 1 : 0);
                      }
                    }
                  }
                });
        callers[c].start();
      }
      for (Thread caller : callers) {
        caller.join();
      }
      assertEquals(20, right.get());
      Batching.Info figures = cls.batchingInfo();
      assertTrue(figures.started() && figures.requests() == 20 && figures.rows() == 30 && figures.largestBatch() <= 4);
      assertTrue(figures.batches() <= 20 && figures.p50Nanos() <= figures.p99Nanos() && figures.rowsPerSecond() > 0);
      assertEquals(0, figures.waiting() + figures.running() + figures.failed() + figures.cancelled() + figures.late() + figures.refused());
      assertEquals(Status.BUSY, assertThrows(AnydimException.class, () -> cls.startBatching(batching)).status());
      cls.stopBatching(true);
      assertTrue(!cls.batchingInfo().started());
    }
  }

  @Test
  void outputsAreTheSameWhereverTheyAreWritten() {
    try (Session cls = Session.open(CPU, Support.model("cls.onnx"), Session.options());
        Tensor x = Support.random(Support.random("outputs"), DType.F32, new long[] {2, 3, 48, 192}, 0, 0);
        Outputs placed = cls.run(Map.of("x", x));
        Tensor given = Tensor.allocateF32(2, 2)) {
      ByteBuffer direct = ByteBuffer.allocateDirect(2 * 2 * 4 + 64);
      direct.position(64);
      try (Tensor over = Tensor.of(direct, DType.F32, 2, 2)) {
        cls.runInto(new Tensor[] {x}, new Tensor[] {given});
        cls.runInto(new Tensor[] {x}, new Tensor[] {over});
        cls.runInto(new Tensor[] {x}, new Tensor[] {null});
        assertArrayEquals(placed.get(0).toFloatArray(), given.toFloatArray());
        FloatBuffer seen = direct.order(ByteOrder.nativeOrder()).asFloatBuffer();
        for (float expected : placed.get(0).toFloatArray()) {
          assertEquals(expected, seen.get());
        }
        assertEquals(64, direct.position());
      }
    }
  }

  /** docs/java.md says how much. Compiled code may make less of it, never more. */
  @Test
  void aRunIntoTheCallersTensorsMakesAFewSmallObjectsAndNoNativeMemory() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long me = Thread.currentThread().getId();
    int calls = 2000;
    try (Model tiny = TinyModels.load(CPU, TinyModels.relu());
        Session session = Session.of(tiny, Session.threads(1).contexts(1));
        Tensor x = Tensor.allocateF32(1, 1);
        Tensor y = Tensor.allocateF32(1, 1)) {
      Tensor[] inputs = {x};
      Tensor[] outputs = {y};
      session.runInto(inputs, outputs);
      long held = Pressure.reserved();
      long before = threads.getThreadAllocatedBytes(me);
      for (int i = 0; i < calls; ++i) {
        session.runInto(inputs, outputs);
      }
      long each = (threads.getThreadAllocatedBytes(me) - before) / calls;
      System.out.println("bytes on the heap for each run: " + each);
      assertTrue(each <= 640, each + " bytes for each run");
      assertEquals(held, Pressure.reserved());
    }
  }

  @Test
  void aModelReportsItsProperties() {
    try (Model rec = Model.load(CPU, Support.model("rec.onnx"))) {
      assertEquals("x", rec.inputs().get(0).name());
      assertEquals(DType.F32, rec.inputs().get(0).dtype());
      assertArrayEquals(new long[] {-1, 3, -1, -1}, rec.inputs().get(0).dims());
      assertEquals(4, rec.inputs().get(0).symbols().size());
      assertTrue(rec.metadata().containsKey("character"));
      assertTrue(rec.metadata().get("character").contains("\u4e00"), "Chinese characters come through as they are");
      assertTrue(rec.describe().contains("\"nodes\""));
      assertTrue(rec.weightBytes() > 1 << 20);
      Bounds narrow = Bounds.of("x", Dim.of(1), Dim.of(3), Dim.of(48), Dim.dynamic(32, 100));
      Bounds wide = Bounds.of("x", Dim.of(1), Dim.of(3), Dim.of(48), Dim.dynamic(32, 1000));
      assertTrue(0 < rec.bytesNeeded(narrow) && rec.bytesNeeded(narrow) < rec.bytesNeeded(wide));
    }
  }

  @Test
  void boundsArePromisesThatAreChecked() {
    try (Model tiny = TinyModels.load(CPU, TinyModels.relu());
        Session session = Session.of(tiny, Session.threads(1).contexts(2).bounds(Bounds.of("x", Dim.dynamic(1, 4), Dim.of(3))));
        Tensor fits = Tensor.copyOf(new float[] {-1, 0, 1}, 1, 3);
        Tensor tooLong = Tensor.allocateF32(5, 3)) {
      try (Outputs y = session.run(Map.of("x", fits))) {
        assertArrayEquals(new float[] {0, 0, 1}, y.get("y").toFloatArray());
        assertThrows(NoSuchElementException.class, () -> y.get("z"));
        assertEquals(List.of("y"), y.names());
      }
      Support.fails(Status.OUT_OF_BOUNDS, "5", () -> session.run(Map.of("x", tooLong)));
      assertEquals(0, session.info().growths());
      assertEquals(1, session.info().contexts());
      assertTrue(session.explain(Map.of("x", fits)).contains("the_node"));
    }
  }

  @Test
  void packedWeightsAreMapped(@TempDir Path folder) {
    Path packed = folder.resolve("cls.packed");
    try (Model cls = Model.load(CPU, Support.model("cls.onnx"))) {
      cls.savePackedWeights(packed);
      assertTrue(Files.exists(packed));
    }
    try (Model mapped = Model.load(CPU, Support.model("cls.onnx"), Model.options().packedWeights(packed))) {
      assertTrue(mapped.weightBytes() > 0);
    }
    Support.fails(Status.FILE_NOT_FOUND, "nowhere", () -> Model.load(CPU, Support.model("cls.onnx"), Model.options().packedWeights(folder.resolve("nowhere"))));
  }

  @Test
  void aProgramFileIsLoadedInTheModelsPlace(@TempDir Path folder) {
    Path program = folder.resolve("cls.anydim");
    try (Model cls = Model.load(CPU, Support.model("cls.onnx"))) {
      cls.saveProgram(program);
      try (Model loaded = Model.load(CPU, program)) {
        assertEquals(cls.weightBytes(), loaded.weightBytes());
        assertEquals(cls.inputs().get(0).name(), loaded.inputs().get(0).name());
      }
      Support.fails(Status.IO_ERROR, "nowhere", () -> cls.saveProgram(folder.resolve("nowhere").resolve("x")));
    }
    Support.fails(Status.INVALID_ARGUMENT, "options.math", () -> Model.load(CPU, program, Model.options().math(MathMode.FAST)));
  }

  @Test
  void aModelIsLoadedFromHeapAndDirectMemory() {
    byte[] bytes = TinyModels.relu();
    ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(bytes);
    direct.flip();
    for (ByteBuffer source : new ByteBuffer[] {ByteBuffer.wrap(bytes), direct}) {
      try (Model m = Model.load(CPU, source, Model.options().math(MathMode.STRICT).passes(Passes.EXACT).reuse(Reuse.AUTO))) {
        assertEquals("y", m.outputs().get(0).name());
      }
    }
  }

  @Test
  void aCancellationEndsRunsUntilItIsOff() {
    try (Model tiny = TinyModels.load(CPU, TinyModels.relu());
        Session session = Session.of(tiny, Session.options());
        Cancellation stop = new Cancellation();
        Tensor x = Tensor.allocateF32(2, 2)) {
      RunOptions options = new RunOptions().cancellation(stop).timeout(Duration.ofSeconds(5)).outputs("y");
      session.run(Map.of("x", x), options).close();
      stop.cancel();
      Support.fails(Status.CANCELLED, "cancel", () -> session.run(Map.of("x", x), options));
      stop.reset();
      session.run(Map.of("x", x), options).close();
    }
  }

  @Test
  void aSessionOutlivesItsModelAndEngine() {
    Session session;
    try (Engine engine = Engine.cpu();
        Model tiny = TinyModels.load(engine, TinyModels.relu())) {
      session = Session.of(tiny, Session.options());
    }
    Outputs y;
    try (session;
        Tensor x = Tensor.copyOf(new float[] {-1, 2}, 1, 2)) {
      y = session.run(Map.of("x", x));
    }
    try (y) {
      assertArrayEquals(new float[] {0, 2}, y.get(0).toFloatArray());
    }
  }
}
