// SPDX-License-Identifier: Apache-2.0
// What a program provides: its log, its own loop, its memory; and what the process keeps and reports.
package org.anydim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostTest {
  @Test
  void logLinesComeToTheProgram() {
    Queue<String> lines = new ConcurrentLinkedQueue<>();
    Log.set(LogLevel.DEBUG, (level, line) -> lines.add(level + " " + line));
    try (Engine cpu = Engine.cpu()) {
      assertThrows(AnydimException.class, () -> Model.load(cpu, Path.of("/no/such \u00e4 file")));
      assertTrue(lines.stream().anyMatch(l -> l.startsWith("DEBUG") && l.contains("/no/such \u00e4 file")), lines::toString);
      Log.set(LogLevel.DEBUG, (level, line) -> {
        throw new IllegalStateException("a sink that throws");
      });
      assertThrows(AnydimException.class, () -> Model.load(cpu, Path.of("/no/such file")));
    } finally {
      Log.set(LogLevel.WARNING);
    }
    assertThrows(NullPointerException.class, () -> Log.set(LogLevel.INFO, null));
  }

  @Test
  void aLoopOfTheProgramsComputesTheSameBits() {
    ExecutorService pool = Executors.newFixedThreadPool(3);
    AtomicInteger loops = new AtomicInteger();
    ParallelLoop counted =
        (parts, part) -> {
          loops.incrementAndGet();
          ParallelLoop.on(pool).run(parts, part);
        };
    ParallelLoop lazy = (parts, part) -> loops.incrementAndGet();
    ParallelLoop failing =
        (parts, part) -> {
          part.accept(parts - 1);
          if (loops.incrementAndGet() <= 2) {
            throw new IllegalStateException("a loop that throws");
          }
        };
    Random random = Support.random("loops");
    try (Engine own = Engine.cpu(Engine.options().threads(2));
        Session expected = Session.open(own, Support.model("cls.onnx"), Session.options());
        Tensor x = Support.random(random, DType.F32, new long[] {2, 3, 48, 192}, 0, 0);
        Outputs y = expected.run(Map.of("x", x))) {
      for (ParallelLoop loop : new ParallelLoop[] {counted, lazy, failing}) {
        loops.set(0);
        try (Engine host = Engine.cpu(Engine.options().threads(4).parallelLoop(loop));
            Session session = Session.open(host, Support.model("cls.onnx"), Session.options());
            Outputs z = session.run(Map.of("x", x))) {
          assertArrayEquals(y.get(0).toFloatArray(), z.get(0).toFloatArray());
          assertTrue(loops.get() > 0, "the program's loop was not used");
        }
      }
    }
    pool.shutdown();
  }

  /** Buffers of its own, counted; after so many bytes there are none. */
  private static final class Counted implements HostMemory {
    final AtomicLong held = new AtomicLong();
    final AtomicLong given = new AtomicLong();
    final Set<ByteBuffer> lent = Collections.newSetFromMap(Collections.synchronizedMap(new IdentityHashMap<>()));
    final AtomicInteger strangers = new AtomicInteger();
    final long limit;

    Counted(long limit) {
      this.limit = limit;
    }

    @Override
    public ByteBuffer allocate(long bytes, int alignment) {
      if (held.addAndGet(bytes) > limit) {
        held.addAndGet(-bytes);
        return null;
      }
      given.addAndGet(bytes);
      ByteBuffer made = ByteBuffer.allocateDirect((int) bytes + alignment).alignedSlice(alignment).limit((int) bytes);
      for (int i = 0; i < bytes; ++i) {
        made.put(i, (byte) 0x5A);
      }
      lent.add(made);
      return made;
    }

    @Override
    public void release(ByteBuffer memory) {
      strangers.addAndGet(lent.remove(memory) ? 0 : 1);
      held.addAndGet(-memory.limit());
    }
  }

  @Test
  void theLargeMemoryIsTheProgramsAndComesBack() throws Exception {
    Random random = Support.random("memory");
    Counted memory = new Counted(1 << 30);
    try (Tensor x = Support.random(random, DType.F32, new long[] {2, 3, 48, 192}, 0, 0)) {
      try (Engine own = Engine.cpu();
          Engine host = Engine.cpu(Engine.options().threads(2).memory(memory));
          Session expected = Session.open(own, Support.model("cls.onnx"), Session.options());
          Session session = Session.open(host, Support.model("cls.onnx"), Session.options());
          Outputs y = expected.run(Map.of("x", x));
          Outputs z = session.run(Map.of("x", x))) {
        assertArrayEquals(y.get(0).toFloatArray(), z.get(0).toFloatArray());
        assertTrue(memory.given.get() > 1 << 20, "packed weights and working memory: " + memory.given);
      }
      assertEquals(0, memory.held.get(), "all of it came back");
      assertEquals(0, memory.lent.size());
      assertEquals(0, memory.strangers.get(), "each buffer came back as it was given");
    }
  }

  @Test
  void memoryThatIsNotThereIsAnErrorAndWhatDoesNotFitIsTakenForNone() {
    try (Engine poor = Engine.cpu(Engine.options().threads(1).memory(new Counted(1000)))) {
      Support.fails(Status.OUT_OF_MEMORY, "", () -> Model.load(poor, Support.model("cls.onnx")).close());
    }
    AtomicInteger back = new AtomicInteger();
    HostMemory heap =
        new HostMemory() {
          @Override
          public ByteBuffer allocate(long bytes, int alignment) {
            return ByteBuffer.allocate((int) bytes);
          }

          @Override
          public void release(ByteBuffer memory) {
            back.incrementAndGet();
          }
        };
    try (Engine wrong = Engine.cpu(Engine.options().threads(1).memory(heap))) {
      Support.fails(Status.OUT_OF_MEMORY, "", () -> Model.load(wrong, Support.model("cls.onnx")).close());
      assertTrue(back.get() > 0);
    }
  }

  @Test
  void aProcessReportsItsMemoryAndCounters() {
    PrimitiveCache.clear();
    assertEquals(0, PrimitiveCache.entries());
    long limit = PrimitiveCache.limit();
    try (Engine cpu = Engine.cpu();
        Primitive one = cpu.unary(TensorDesc.f32(Dim.dynamic(1, 9)), UnaryFunction.EXP).create()) {
      assertTrue(!one.kernel().isEmpty() && PrimitiveCache.entries() > 0 && PrimitiveCache.bytes() > 0);
      PrimitiveCache.limit(0);
      assertEquals(0, PrimitiveCache.bytes());
    } finally {
      PrimitiveCache.limit(limit);
    }
    assertTrue(Counters.read().size() > 5 && Counters.read().values().stream().anyMatch(v -> v > 0));
    BackgroundWorker.pause();
    assertTrue(BackgroundWorker.paused());
    BackgroundWorker.resume();
    BackgroundWorker.drain(Duration.ofSeconds(60));
    assertEquals(0, BackgroundWorker.queued());
    assertTrue(BackgroundWorker.served() >= 0);
    assertTrue(PersistentCache.path().isAbsolute());
    assertTrue(PersistentCache.describe().startsWith("{"));
    Support.fails(Status.INVALID_ARGUMENT, "level", () -> Log.verbose(-1));
    Log.verbose(0);
  }

  /** Whether tuning finds a better plan is chance: a program of the tests writes the records. */
  @Test
  void recordsAreCarriedToAnotherFileAndBack(@TempDir Path folder) throws Exception {
    assertTrue(PersistentCache.enabled(), "the tests have a folder of their own");
    PersistentCache.clear();
    Path program = Path.of(System.getProperty("anydim.programs"), "records");
    ProcessBuilder writer = new ProcessBuilder(program.toString(), "write", "java", "0", "40");
    writer.redirectErrorStream(true).redirectOutput(folder.resolve("written").toFile());
    assertEquals(0, writer.start().waitFor());
    assertEquals(40, PersistentCache.exportTo(folder.resolve("plans")));
    assertTrue(PersistentCache.verify().contains("\"ok\""));
    assertEquals(40, PersistentCache.clear());
    PersistentCache.Imported imported = PersistentCache.importFrom(folder.resolve("plans"));
    assertEquals(40, imported.records());
    assertEquals(0, imported.damaged());
    assertEquals(40, PersistentCache.clear());
    Support.fails(Status.FILE_NOT_FOUND, "nowhere", () -> PersistentCache.importFrom(folder.resolve("nowhere")));
  }

  @Test
  void anEngineReportsItsProperties() {
    try (Engine cpu = Engine.cpu(Engine.options().threads(1))) {
      assertEquals(1, cpu.threads());
      assertTrue(cpu.kernels().size() > 30);
      assertTrue(!cpu.isa().isEmpty() && !cpu.device().isEmpty());
      assertTrue(Engine.version().matches("\\d+\\.\\d+\\.\\d+"));
    }
  }
}
