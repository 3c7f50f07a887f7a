// SPDX-License-Identifier: Apache-2.0
// Contexts and streams: one run at a time, in the caller's order and memory; cancelling, tuning, asking about nodes.
package org.anydim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContextTest {
  private static final Engine CPU = Engine.cpu();
  private static final Bounds SMALL = Bounds.of("x", Dim.dynamic(1, 4), Dim.of(3), Dim.of(48), Dim.of(192));

  @AfterAll
  static void close() {
    CPU.close();
  }

  private static Model cls() {
    return Model.load(CPU, Support.model("cls.onnx"));
  }

  private static Tensor image(int batch) {
    return Support.random(Support.random("contexts"), DType.F32, new long[] {batch, 3, 48, 192}, 0, 0);
  }

  @Test
  void aContextRunsAsASessionDoes() {
    try (Model model = cls();
        Context context = Context.of(model, Context.options().threads(1).profile(true));
        Session session = Session.of(model, Session.threads(1));
        Tensor x = image(2);
        Tensor given = Tensor.allocateF32(2, 2);
        Outputs expected = session.run(Map.of("x", x));
        Outputs y = context.run(x)) {
      assertArrayEquals(expected.get(0).toFloatArray(), y.get(0).toFloatArray());
      assertEquals(expected.names(), y.names());
      assertArrayEquals(new long[] {2, 2}, context.outputDims(0, x));
      context.runInto(new Tensor[] {x}, new Tensor[] {given});
      context.runInto(new Tensor[] {x}, new Tensor[] {null});
      assertArrayEquals(expected.get(0).toFloatArray(), given.toFloatArray());
      assertEquals(3, context.info().runs());
      assertEquals(1, context.info().threads());
      assertFalse(context.info().bounded());
      List<Context.Node> nodes = context.nodes();
      assertTrue(nodes.size() > 20 && nodes.stream().allMatch(n -> n.nanoseconds() >= 0 && !n.kernel().isEmpty() && !n.tier().isEmpty()));
      assertTrue(nodes.stream().anyMatch(n -> n.op().contains("convolution") && n.outputBytes() > 0 && n.scratchBytes() >= 0));
      assertTrue(nodes.stream().noneMatch(n -> n.name() == null || n.postOps() == null));
      assertTrue(context.explain().contains("\"kernel\"") && context.explain(x).contains("\"kernel\""));
      Support.fails(Status.NOT_FOUND, "output", () -> context.outputDims(1, x));
      assertThrows(NullPointerException.class, () -> context.run((Tensor) null));
    }
  }

  @Test
  void aContextInMemoryOfTheCallersAllocatesNone() {
    try (Model model = cls();
        Tensor x = image(3)) {
      Context.Options options = Context.options().threads(1).bounds(SMALL);
      long bytes = model.bytesNeeded(options);
      ByteBuffer memory = ByteBuffer.allocateDirect((int) bytes + 64).alignedSlice(64);
      try (Context own = Context.of(model, Context.options().threads(1).bounds(SMALL));
          Context context = Context.of(model, options.memory(memory));
          Outputs expected = own.run(x);
          Outputs y = context.run(x)) {
        assertArrayEquals(expected.get(0).toFloatArray(), y.get(0).toFloatArray());
        assertTrue(context.info().bounded());
        assertEquals(0, context.info().growths());
        boolean used = false;
        for (int i = 0; i < bytes; ++i) {
          used |= memory.get(i) != 0;
        }
        assertTrue(used, "the context computes in the caller's memory");
      }
      Support.fails(Status.INVALID_ARGUMENT, "buffer", () -> Context.of(model, Context.options().threads(1).bounds(SMALL).memory(memory.duplicate().limit(64))));
      Support.fails(Status.INVALID_ARGUMENT, "memory is on the heap", () -> Context.options().memory(ByteBuffer.allocate(64)));
    }
  }

  @Test
  void aStreamKeepsTheOrderOfWhatItIsGiven() {
    try (Model model = TinyModels.load(CPU, TinyModels.relu());
        Context context = Context.of(model, Context.options());
        Primitive exp = CPU.unary(TensorDesc.f32(Dim.dynamic(1, 8), Dim.of(2)), UnaryFunction.EXP).create();
        Stream stream = Stream.of(CPU, 1);
        Tensor x = Tensor.copyOf(new float[] {-1, 0, 1, 0}, 2, 2);
        Tensor y = Tensor.allocateF32(2, 2);
        Tensor z = Tensor.allocateF32(2, 2)) {
      context.submit(stream, new Tensor[] {x}, new Tensor[] {y});
      exp.executeInto(stream, new Tensor[] {y}, new Tensor[] {z});
      stream.waitFor();
      assertArrayEquals(new float[] {0, 0, 1, 0}, y.toFloatArray());
      assertEquals(1, z.toFloatArray()[0]);
      assertEquals(Math.E, z.toFloatArray()[2], 1e-6);
      Stream closed = Stream.of(CPU, 0);
      closed.close();
      Support.fails(Status.CLOSED, "the stream is closed", closed::waitFor);
      Support.fails(Status.CLOSED, "the stream is closed", () -> context.submit(closed, new Tensor[] {x}, new Tensor[] {y}));
      Support.fails(Status.INVALID_ARGUMENT, "threads", () -> Stream.of(CPU, 1000));
      assertThrows(NullPointerException.class, () -> exp.executeInto(null, new Tensor[] {y}, new Tensor[] {z}));
    }
  }

  @Test
  void anotherThreadCancelsAndASecondRunFindsTheContextBusy() throws Exception {
    Random random = Support.random("cancelling");
    try (Model model = cls();
        Context context = Context.of(model, Context.options().threads(1));
        Cancellation stop = new Cancellation();
        Tensor x = image(8);
        Outputs expected = context.run(x)) {
      context.watch(stop);
      List<String> seen = new ArrayList<>();
      for (int i = 0; i < 60; ++i) {
        Thread other =
            new Thread(
                () -> {
                  try (Outputs y = context.run(x)) {
                    assertArrayEquals(expected.get(0).toFloatArray(), y.get(0).toFloatArray());
                    seen.add("ended");
                  } catch (AnydimException failure) {
                    seen.add(failure.status().toString());
                  } catch (Throwable wrong) {
                    seen.add(wrong.toString());
                  }
                });
        other.start();
        Thread.sleep(0, random.nextInt(999_999));
        if (i % 2 == 0) {
          stop.cancel();
        } else {
          try {
            context.explain(x);
          } catch (AnydimException busy) {
            assertEquals(Status.BUSY, busy.status(), busy.getMessage());
          }
        }
        other.join();
        stop.reset();
      }
      assertTrue(seen.stream().allMatch(s -> s.equals("ended") || s.equals("CANCELLED") || s.equals("BUSY")), seen::toString);
      stop.cancel();
      Support.fails(Status.CANCELLED, "cancel", () -> context.run(x));
      context.watch(null);
      context.run(x).close();
    }
  }

  @Test
  void tuningReportsProgressAndCanBeStopped() {
    try (Model model = cls();
        Context context = Context.of(model, Context.options().threads(1));
        Tensor x = image(1);
        Outputs before = context.run(x)) {
      AtomicInteger told = new AtomicInteger();
      String report =
          context.tune(
              new Tuning().record(false).again(true).nodeMilliseconds(1).progress((done, nodes) -> {
                assertTrue(done <= nodes);
                return told.incrementAndGet() > 0;
              }),
              x);
      assertTrue(report.startsWith("[") || report.startsWith("{"), report);
      assertTrue(told.get() > 1, "before each node and at the end");
      try (Outputs after = context.run(x)) {
        assertArrayEquals(before.get(0).toFloatArray(), after.get(0).toFloatArray());
      }
      Tuning again = new Tuning().record(false).again(true).nodeMilliseconds(1);
      Support.fails(Status.CANCELLED, "", () -> context.tune(again.progress((done, nodes) -> false), x));
      IllegalStateException thrown = new IllegalStateException("a progress that throws");
      assertSame(
          thrown,
          assertThrows(
              IllegalStateException.class,
              () -> context.tune(again.progress((done, nodes) -> {
                throw thrown;
              }), x)));
    }
  }

  @Test
  void onePackedFileIsWrittenByTheFirstProcess(@TempDir Path folder) throws Exception {
    Path packed = folder.resolve("cls.packed");
    try (Model model = cls()) {
      assertTrue(model.savePackedOnce(packed));
      Object first = Files.getAttribute(packed, "unix:ino");
      assertFalse(model.savePackedOnce(packed));
      assertEquals(first, Files.getAttribute(packed, "unix:ino"));
      assertEquals(1, Files.list(folder).count());
      Files.delete(packed);
      AtomicInteger wrote = new AtomicInteger();
      List<Thread> all = new ArrayList<>();
      for (int i = 0; i < 4; ++i) {
        all.add(
            new Thread(
                () -> {
                  try {
                    wrote.addAndGet(model.savePackedOnce(packed) ? 1 : 0);
                  } catch (Exception failure) {
                    wrote.set(100);
                  }
                }));
      }
      all.forEach(Thread::start);
      for (Thread each : all) {
        each.join();
      }
      assertEquals(1, wrote.get());
      assertEquals(1, Files.list(folder).count());
    }
    try (Model mapped = Model.load(CPU, Support.model("cls.onnx"), Model.options().packedWeights(packed))) {
      assertTrue(mapped.weightBytes() > 0);
    }
  }
}
