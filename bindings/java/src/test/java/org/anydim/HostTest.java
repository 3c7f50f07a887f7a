// SPDX-License-Identifier: Apache-2.0
// What a program lends: its log, and its own loop.
package org.anydim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

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

  @Test
  void anEngineTellsWhatItIs() {
    try (Engine cpu = Engine.cpu(Engine.options().threads(1))) {
      assertEquals(1, cpu.threads());
      assertTrue(cpu.kernels().size() > 30);
      assertTrue(!cpu.isa().isEmpty() && !cpu.device().isEmpty());
      assertTrue(Engine.version().matches("\\d+\\.\\d+\\.\\d+"));
    }
  }
}
