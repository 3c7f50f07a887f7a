// SPDX-License-Identifier: Apache-2.0
// Operators that a program brings: their rule of shapes at load and in runs, kernels over tensors, attributes, failures, threads, bounds,
// and that nothing of a call outlives it.
package org.anydim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.ReadOnlyBufferException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CustomOperatorsTest {
  private static final String OURS = "my.domain";
  private final Engine cpu = Engine.cpu(Engine.options().threads(2));

  @AfterEach
  void close() {
    cpu.close();
  }

  private interface Rule {
    List<CustomShape> of(CustomNode node, List<CustomInput> inputs) throws Exception;
  }

  private interface Kernel {
    void run(CustomNode node, List<CustomInput> inputs, List<Tensor> outputs) throws Exception;
  }

  private static CustomOperator operator(Rule rule, Kernel kernel) {
    return new CustomOperator() {
      @Override
      public List<CustomShape> shapes(CustomNode node, List<CustomInput> inputs) throws Exception {
        return rule.of(node, inputs);
      }

      @Override
      public void compute(CustomNode node, List<CustomInput> inputs, List<Tensor> outputs) throws Exception {
        kernel.run(node, inputs, outputs);
      }
    };
  }

  private static List<CustomShape> same(CustomNode node, List<CustomInput> inputs) {
    return List.of(CustomShape.like(inputs.get(0)));
  }

  private static void copy(CustomNode node, List<CustomInput> inputs, List<Tensor> outputs) {
    outputs.get(0).floats().put(inputs.get(0).tensor().toFloatArray());
  }

  private static float[] numbers(int rows) {
    float[] all = new float[3 * rows];
    for (int i = 0; i < all.length; ++i) {
      all[i] = i - 4;
    }
    return all;
  }

  private Session session(Session.Options options, String name, CustomOperator operator, String[] dims, TinyModels.Node... nodes) {
    Model.Options own = Model.options().operator(OURS, name, operator);
    try (Model model = Model.load(cpu, ByteBuffer.wrap(TinyModels.ours(dims, nodes)), own)) {
      return Session.of(model, options);
    }
  }

  private Session session(String name, CustomOperator operator, String[] dims, TinyModels.Node... nodes) {
    return session(Session.options(), name, operator, dims, nodes);
  }

  private static final String[] ROWS = {"n", "3"};

  private static float[] run(Session session, int rows) {
    try (Tensor x = Tensor.copyOf(numbers(rows), rows, 3);
        Outputs y = session.run(Map.of("x", x))) {
      return y.get("y").toFloatArray();
    }
  }

  @Test
  void aKernelOfTheProgramsRunsBetweenNodesOfTheLibrarys() {
    CustomOperator cube =
        operator(
            CustomOperatorsTest::same,
            (node, in, out) -> {
              FloatBuffer to = out.get(0).floats();
              for (float v : in.get(0).tensor().toFloatArray()) {
                to.put(v * v * v);
              }
            });
    try (Session session =
        session("Cube", cube, ROWS, new TinyModels.Node(":Neg", "a", "x"), new TinyModels.Node("Cube", "b", "a"),
            new TinyModels.Node(":Relu", "y", "b"))) {
      for (int rows : new int[] {1, 5, 2, 0}) {
        float[] expected = numbers(rows);
        for (int i = 0; i < expected.length; ++i) {
          float cubed = -expected[i] * -expected[i] * -expected[i];
          expected[i] = cubed < 0 ? 0 : cubed;
        }
        assertArrayEquals(expected, run(session, rows));
      }
    }
  }

  @Test
  void dimsThatTheRuleHandsOnAreKnownBehindIt() {
    List<long[]> seen = new ArrayList<>();
    CustomOperator swap =
        operator(
            (node, in) -> {
              long[] dims = in.get(0).dims();
              assertFalse(in.get(0).isKnown());
              assertThrows(IllegalStateException.class, () -> in.get(0).tensor());
              seen.add(dims);
              return List.of(CustomShape.of(in.get(0).dtype(), dims[1], dims[0]));
            },
            (node, in, out) -> {
              float[][] from = (float[][]) in.get(0).tensor().toNestedArray();
              FloatBuffer to = out.get(0).floats();
              for (int c = 0; c < 3; ++c) {
                for (float[] row : from) {
                  to.put(row[c]);
                }
              }
            });
    try (Session session = session("Swap", swap, new String[] {"3", "m"}, new TinyModels.Node("Swap", "y", "x"))) {
      assertArrayEquals(new float[] {-4, -1, -3, 0, -2, 1}, run(session, 2));
      assertEquals(1, seen.size(), "what a run needs follows from the model's dims");
      assertTrue(seen.get(0)[0] < -1 && seen.get(0)[1] == 3);
    }
  }

  @Test
  void attributesComeByName() {
    AtomicReference<CustomNode> kept = new AtomicReference<>();
    CustomOperator look =
        operator(
            CustomOperatorsTest::same,
            (node, in, out) -> {
              kept.set(node);
              assertEquals("the_Look", node.name());
              assertEquals(OURS, node.domain());
              assertEquals("Look", node.opType());
              assertEquals(2, node.version());
              assertEquals(List.of("i", "f", "s", "list", "t"), node.attributes());
              assertEquals(-7, node.integer("i", 1));
              assertEquals(0.5f, node.real("f", 1));
              assertEquals("w\u00f6rd", node.text("s", ""));
              assertArrayEquals(new long[] {1, 2, 3}, node.integers("list"));
              try (Tensor t = node.tensor("t")) {
                assertArrayEquals(new float[] {1.5f, -2}, t.toFloatArray());
              }
              assertEquals(4, node.integer("absent", 4));
              assertEquals("d", node.text("i", "d"), "of another type");
              assertNull(node.tensor("f"));
              assertNull(node.reals("s"));
              copy(node, in, out);
            });
    TinyModels.Node node = new TinyModels.Node("Look", "y", "x").integer("i", -7).real("f", 0.5f).text("s", "w\u00f6rd");
    try (Session session = session("Look", look, ROWS, node.integers("list", 1, 2, 3).tensor("t", 1.5f, -2))) {
      assertArrayEquals(numbers(2), run(session, 2));
    }
    assertEquals("the_Look", kept.get().name());
    assertThrows(IllegalStateException.class, () -> kept.get().integers("i"));
  }

  @Test
  void outputsWhoseSizeFollowsFromData() {
    CustomOperator positive =
        operator(
            (node, in) -> {
              if (!in.get(0).isKnown()) {
                return List.of(CustomShape.of(DType.F32, -1));
              }
              int count = 0;
              for (float v : in.get(0).tensor().toFloatArray()) {
                count += v > 0 ? 1 : 0;
              }
              return List.of(CustomShape.of(DType.F32, count));
            },
            (node, in, out) -> {
              FloatBuffer to = out.get(0).floats();
              for (float v : in.get(0).tensor().toFloatArray()) {
                if (v > 0) {
                  to.put(v);
                }
              }
            });
    try (Session session =
        session("Positive", positive, new String[] {"k"}, new TinyModels.Node("Positive", "p", "x"), new TinyModels.Node(":Neg", "y", "p"))) {
      assertArrayEquals(new float[] {-1, -2, -3, -4}, run(session, 3));
      assertArrayEquals(new float[0], run(session, 1));
      assertArrayEquals(new float[] {-1}, run(session, 2));
    }
  }

  @Test
  void anAbsentInputAndSeveralOutputsComeInOrder() {
    CustomOperator both =
        operator(
            (node, in) -> {
              assertEquals(3, in.size());
              assertTrue(in.get(1).isAbsent() && !in.get(2).isAbsent());
              assertThrows(IllegalStateException.class, () -> in.get(1).dtype());
              return List.of(CustomShape.like(in.get(0)), CustomShape.of(DType.I64, 2));
            },
            (node, in, out) -> {
              assertThrows(IllegalStateException.class, () -> in.get(1).tensor());
              out.get(1).longs().put(in.get(0).dims());
            });
    try (Session session = session("Both", both, ROWS, new TinyModels.Node("Both", "y z", "x", "", "x"));
        Tensor x = Tensor.copyOf(numbers(5), 5, 3);
        Outputs y = session.run(Map.of("x", x))) {
      assertArrayEquals(new float[15], y.get("y").toFloatArray(), "what is not written is zeros");
      assertArrayEquals(new long[] {5, 3}, y.get("z").toLongArray());
    }
  }

  @Test
  void whatAKernelThrowsIsTheReasonOfTheFailureAndTheSessionGoesOn() {
    Exception[] thrown = {new IllegalStateException("no such th\u00efng"), new Exception(), new java.io.IOException("a\0b")};
    AtomicInteger which = new AtomicInteger();
    CustomOperator fails =
        operator(
            CustomOperatorsTest::same,
            (node, in, out) -> {
              if (which.get() < thrown.length) {
                throw thrown[which.get()];
              }
              copy(node, in, out);
            });
    try (Session session = session("Pick", fails, ROWS, new TinyModels.Node("Pick", "y", "x"))) {
      for (; which.get() < thrown.length; which.incrementAndGet()) {
        Exception expected = thrown[which.get()];
        AnydimException failure = Support.fails(Status.INVALID_DATA, expected.toString().replace('\0', '\ufffd'), () -> run(session, 2));
        assertSame(expected, failure.getCause());
        assertEquals("the_Pick", failure.node());
      }
      assertArrayEquals(numbers(2), run(session, 2));
      Support.fails(Status.INVALID_ARGUMENT, "", () -> session.run(Map.of()));
    }
  }

  @Test
  void anErrorComesOutOfTheRunAndOutOfTheLoadItself() {
    AssertionError wrong = new AssertionError("wrong");
    CustomOperator kernel =
        operator(
            CustomOperatorsTest::same,
            (node, in, out) -> {
              throw wrong;
            });
    CustomOperator rule =
        operator(
            (node, in) -> {
              throw wrong;
            },
            CustomOperatorsTest::copy);
    try (Session session = session("Stop", kernel, ROWS, new TinyModels.Node("Stop", "y", "x"))) {
      CustomOperator outer = operator(CustomOperatorsTest::same, (node, in, out) -> run(session, 1));
      try (Session around = session("Outer", outer, ROWS, new TinyModels.Node("Outer", "y", "x"))) {
        for (Session each : List.of(session, around, session)) {
          assertSame(wrong, assertThrows(AssertionError.class, () -> run(each, 1)));
        }
      }
    }
    assertSame(wrong, assertThrows(AssertionError.class, () -> session("Stop", rule, ROWS, new TinyModels.Node("Stop", "y", "x"))));
  }

  private static long deep(long n) {
    return n == Long.MAX_VALUE ? 0 : deep(n + 1) + 1;
  }

  @Test
  void aStackThatIsFullAndAnInterruptEndNothingButTheRun() {
    CustomOperator endless = operator(CustomOperatorsTest::same, (node, in, out) -> deep(0));
    CustomOperator waits =
        operator(
            CustomOperatorsTest::same,
            (node, in, out) -> {
              Thread.currentThread().interrupt();
              Thread.sleep(60_000);
            });
    try (Session session = session("Deep", endless, ROWS, new TinyModels.Node("Deep", "y", "x"))) {
      assertThrows(StackOverflowError.class, () -> run(session, 1));
    }
    try (Session session = session("Wait", waits, ROWS, new TinyModels.Node("Wait", "y", "x"))) {
      AnydimException failure = assertThrows(AnydimException.class, () -> run(session, 1));
      assertTrue(Thread.interrupted(), "the flag is set again");
      assertTrue(failure.getCause() instanceof InterruptedException || failure.status() == Status.CANCELLED, failure::toString);
    }
  }

  @Test
  void wrongRulesAreRefusedAtLoad() {
    Object[][] wrong = {
      {"-9 as dim 0", (Rule) (node, in) -> List.of(CustomShape.of(DType.F32, -9, 3))},
      {"2 outputs; the node has 1", (Rule) (node, in) -> List.of(CustomShape.like(in.get(0)), CustomShape.like(in.get(0)))},
      {"gives null; the node has 1", (Rule) (node, in) -> null},
      {"NullPointerException", (Rule) (node, in) -> Collections.singletonList(null)},
      {"at most 8", (Rule) (node, in) -> List.of(CustomShape.of(DType.F32, new long[9]))},
      {"ArithmeticException", (Rule) (node, in) -> List.of(CustomShape.of(DType.F32, 1 / (in.get(0).dims().length - 2)))},
    };
    for (Object[] each : wrong) {
      CustomOperator bad = operator((Rule) each[1], CustomOperatorsTest::copy);
      Support.fails(
          Status.INVALID_ARGUMENT, (String) each[0], () -> session("Bad", bad, ROWS, new TinyModels.Node("Bad", "y", "x")).close());
    }
    CustomOperator fine = operator(CustomOperatorsTest::same, CustomOperatorsTest::copy);
    Support.fails(
        Status.UNIMPLEMENTED, "my.domain.Other (1)", () -> session("Bad", fine, ROWS, new TinyModels.Node("Other", "y", "x")).close());
    byte[] relu = TinyModels.relu();
    Support.fails(
        Status.INVALID_ARGUMENT, "Loop", () -> Model.load(cpu, ByteBuffer.wrap(relu), Model.options().operator("", "Loop", fine)).close());
    assertThrows(NullPointerException.class, () -> Model.options().operator(OURS, "Bad", null));
  }

  @Test
  void anOperatorComesBeforeTheLibrarysOwn() {
    CustomOperator own = operator(CustomOperatorsTest::same, CustomOperatorsTest::copy);
    try (Model model = Model.load(cpu, ByteBuffer.wrap(TinyModels.relu()), Model.options().operator("", "Relu", own));
        Session session = Session.of(model, Session.options());
        Tensor x = Tensor.copyOf(new float[] {-1, 2}, 1, 2);
        Outputs y = session.run(Map.of("x", x))) {
      assertArrayEquals(new float[] {-1, 2}, y.get("y").toFloatArray());
    }
  }

  @Test
  void boundsComeFromTheRuleAtTheLargestInputs() {
    CustomOperator twice =
        operator(
            (node, in) -> {
              long rows = in.get(0).dims()[0];
              return List.of(CustomShape.of(DType.F32, rows < 0 ? -1 : 2 * rows, 3));
            },
            (node, in, out) -> {
              float[] from = in.get(0).tensor().toFloatArray();
              out.get(0).floats().put(from).put(from);
            });
    TinyModels.Node[] nodes = {new TinyModels.Node("Twice", "a", "x"), new TinyModels.Node(":Neg", "y", "a")};
    Session.Options bounded = Session.options().bounds(Bounds.of("x", Dim.dynamic(1, 8), Dim.of(3)));
    try (Session session = session(bounded, "Twice", twice, new String[] {"m", "3"}, nodes)) {
      for (int rows : new int[] {8, 1, 5}) {
        float[] y = run(session, rows);
        assertEquals(6 * rows, y.length);
        assertEquals(4, y[3 * rows]);
      }
      assertEquals(0, session.info().growths());
    }
    CustomOperator open = operator((node, in) -> List.of(CustomShape.of(DType.F32, -1, 3)), CustomOperatorsTest::copy);
    Support.fails(Status.OUT_OF_BOUNDS, "Twice", () -> session(bounded, "Twice", open, new String[] {"m", "3"}, nodes).close());
  }

  @Test
  void severalThreadsRunKernelsAtTheSameTime() throws Exception {
    CyclicBarrier meeting = new CyclicBarrier(2);
    CustomOperator meet =
        operator(
            CustomOperatorsTest::same,
            (node, in, out) -> {
              meeting.await(60, TimeUnit.SECONDS);
              copy(node, in, out);
            });
    try (Session session = session(Session.options().contexts(2), "Meet", meet, ROWS, new TinyModels.Node("Meet", "y", "x"))) {
      float[][] results = new float[2][];
      Thread[] threads = new Thread[2];
      for (int t = 0; t < 2; ++t) {
        int which = t;
        threads[t] = new Thread(() -> results[which] = run(session, 2 + which));
        threads[t].start();
      }
      for (Thread t : threads) {
        t.join();
      }
      assertArrayEquals(numbers(2), results[0]);
      assertArrayEquals(numbers(3), results[1]);
    }
  }

  @Test
  void whatACallIsGivenEndsWithIt() throws Exception {
    AtomicReference<Tensor> tensor = new AtomicReference<>();
    AtomicReference<FloatBuffer> buffer = new AtomicReference<>();
    AtomicReference<Tensor> output = new AtomicReference<>();
    AtomicReference<FloatBuffer> written = new AtomicReference<>();
    CountDownLatch reading = new CountDownLatch(1);
    AtomicReference<float[]> late = new AtomicReference<>();
    Thread[] reader = new Thread[1];
    CustomOperator keeps =
        operator(
            CustomOperatorsTest::same,
            (node, in, out) -> {
              Tensor x = in.get(0).tensor();
              tensor.set(x);
              buffer.set(x.floats());
              output.set(out.get(0));
              written.set(out.get(0).floats());
              assertThrows(UnsupportedOperationException.class, () -> in.clear());
              copy(node, in, out);
              reader[0] =
                  new Thread(
                      () -> {
                        reading.countDown();
                        try {
                          for (;;) {
                            late.set(x.toFloatArray());
                          }
                        } catch (AnydimException.Closed end) {
                          // as it should be
                        }
                      });
              reader[0].start();
              reading.await();
            });
    try (Session session = session("Keep", keeps, ROWS, new TinyModels.Node("Keep", "y", "x"))) {
      assertArrayEquals(numbers(2), run(session, 2));
      reader[0].join(60_000);
      assertFalse(reader[0].isAlive());
      assertTrue(late.get() == null || Arrays.equals(numbers(2), late.get()));
      assertThrows(AnydimException.Closed.class, () -> tensor.get().toFloatArray());
      assertThrows(AnydimException.Closed.class, () -> tensor.get().buffer());
      assertThrows(AnydimException.Closed.class, () -> output.get().floats());
      assertEquals(-4, buffer.get().get(0), "a buffer is a copy, which stays");
      assertThrows(ReadOnlyBufferException.class, () -> buffer.get().put(0, 1));
      written.get().put(0, 77);
      assertArrayEquals(numbers(2), run(session, 2));
    }
  }

  @Test
  void theOperatorGoesWithTheLastModel() throws Exception {
    CustomOperator kept = operator(CustomOperatorsTest::same, CustomOperatorsTest::copy);
    // A lambda may be one for all: the object around two of them is not.
    WeakReference<CustomOperator> gone = new WeakReference<>(kept);
    Session session = session("Keep", kept, ROWS, new TinyModels.Node("Keep", "y", "x"));
    kept = null;
    System.gc();
    assertTrue(gone.get() != null, "the model keeps it");
    assertArrayEquals(numbers(2), run(session, 2));
    session.close();
    for (int i = 0; i < 100 && gone.get() != null; ++i) {
      System.gc();
      Thread.sleep(20);
    }
    assertNull(gone.get());
  }

  @Test
  void onAThreadOfTheSessionsAFailureIsTheRequests() throws Exception {
    AtomicReference<Thread> ran = new AtomicReference<>();
    CustomOperator fails =
        operator(
            CustomOperatorsTest::same,
            (node, in, out) -> {
              ran.set(Thread.currentThread());
              throw new AssertionError("on another thread");
            });
    Session.Options batching = Session.options().batching(new Batching().rows(2));
    try (Session session = session(batching, "Stop", fails, ROWS, new TinyModels.Node("Stop", "y", "x"));
        Tensor x = Tensor.copyOf(numbers(1), 1, 3)) {
      ExecutionException failure = assertThrows(ExecutionException.class, () -> session.runAsync(Map.of("x", x)).get(60, TimeUnit.SECONDS));
      assertTrue(String.valueOf(failure.getCause()).contains("on another thread"), failure::toString);
      assertTrue(ran.get() != null);
    }
  }
}
