// SPDX-License-Identifier: Apache-2.0
// Many threads on one session and one primitive: the same bits, and every thread gets its turn.
package org.anydim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class ThreadsTest {
  private static final int THREADS = 8;

  @Test
  void eightThreadsOnOneSessionGetTheBitsOfOne() throws Exception {
    Random random = Support.random("threads");
    try (Engine cpu = Engine.cpu();
        Session cls = Session.open(cpu, Support.model("cls.onnx"), Session.threads(1).contexts(3))) {
      List<Tensor> inputs = new ArrayList<>();
      List<float[]> expected = new ArrayList<>();
      for (int batch = 1; batch <= 3; ++batch) {
        inputs.add(Support.random(random, DType.F32, new long[] {batch, 3, 48, 192}, 0, 0));
        try (Outputs y = cls.run(Map.of("x", inputs.get(batch - 1)))) {
          expected.add(y.get(0).toFloatArray());
        }
      }
      ExecutorService pool = Executors.newFixedThreadPool(THREADS);
      AtomicBoolean stop = new AtomicBoolean();
      List<Future<Integer>> counts = new ArrayList<>();
      for (int t = 0; t < THREADS; ++t) {
        int first = t;
        counts.add(
            pool.submit(
                () -> {
                  int runs = 0;
                  for (; !stop.get(); ++runs) {
                    int which = (first + runs) % inputs.size();
                    try (Outputs y = cls.run(Map.of("x", inputs.get(which)))) {
                      assertArrayEquals(expected.get(which), y.get(0).toFloatArray());
                    }
                  }
                  return runs;
                }));
      }
      Thread.sleep(1500);
      stop.set(true);
      int[] runs = new int[THREADS];
      for (int t = 0; t < THREADS; ++t) {
        runs[t] = counts.get(t).get();
      }
      pool.shutdown();
      System.out.println("runs of each thread: " + Arrays.toString(runs));
      int least = Arrays.stream(runs).min().getAsInt();
      int most = Arrays.stream(runs).max().getAsInt();
      assertTrue(least * 2 >= most, "who asks first is served first: " + Arrays.toString(runs));
      assertTrue(cls.info().contexts() <= 3);
      inputs.forEach(Tensor::close);
    }
  }

  @Test
  void threadsShareAPrimitive() throws Exception {
    try (Engine cpu = Engine.cpu();
        Tensor b = Tensor.copyOf(new float[] {1, 2, 3, 4}, 2, 2);
        Primitive product = cpu.matmul(TensorDesc.f32(Dim.dynamic(1, 64), Dim.of(2)), b).create()) {
      ExecutorService pool = Executors.newFixedThreadPool(THREADS);
      List<Future<?>> done = new ArrayList<>();
      for (int t = 1; t <= THREADS; ++t) {
        int rows = t;
        done.add(
            pool.submit(
                () -> {
                  float[] ones = new float[2 * rows];
                  Arrays.fill(ones, 1);
                  for (int i = 0; i < 200; ++i) {
                    try (Tensor a = Tensor.copyOf(ones, rows, 2);
                        Outputs y = product.execute(a)) {
                      float[] got = y.get(0).toFloatArray();
                      assertEquals(2 * rows, got.length);
                      assertEquals(4, got[0]);
                      assertEquals(6, got[2 * rows - 1]);
                    }
                  }
                }));
      }
      for (Future<?> each : done) {
        each.get();
      }
      pool.shutdown();
    }
  }
}
