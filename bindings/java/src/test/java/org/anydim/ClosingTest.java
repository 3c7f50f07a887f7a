// SPDX-License-Identifier: Apache-2.0
// Closing at any time, from any thread, or never: calls end or say closed, buffers stay good, memory comes back.
package org.anydim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class ClosingTest {
  private static final Engine CPU = Engine.cpu();
  private static final int MOMENTS = Integer.getInteger("anydim.moments", 400);

  @AfterAll
  static void close() {
    CPU.close();
  }

  private interface Action {
    void run() throws Exception;
  }

  /** Runs both at once, the second after a random time; whatever fails but by being closed is a failure of the test. */
  private static void atOnce(Random random, Action user, Action closer) throws Exception {
    AtomicReference<Throwable> wrong = new AtomicReference<>();
    CyclicBarrier start = new CyclicBarrier(2);
    Thread other =
        new Thread(
            () -> {
              try {
                start.await();
                user.run();
              } catch (AnydimException failure) {
                if (failure.status() != Status.CLOSED) {
                  wrong.set(failure);
                }
              } catch (Throwable failure) {
                wrong.set(failure);
              }
            });
    other.start();
    start.await();
    for (long until = System.nanoTime() + random.nextInt(400_000); System.nanoTime() < until; ) {
      Thread.onSpinWait();
    }
    closer.run();
    other.join();
    if (wrong.get() != null) {
      throw new AssertionError(wrong.get());
    }
  }

  @Test
  void whatIsClosedWhileAnotherThreadUsesItEndsOrSaysClosed() throws Exception {
    Random random = Support.random("closing");
    float[] values = new float[256 * 64];
    for (int i = 0; i < values.length; ++i) {
      values[i] = random.nextFloat() - 0.5f;
    }
    for (int moment = 0; moment < MOMENTS; ++moment) {
      Engine engine = Engine.cpu();
      Model model = TinyModels.load(engine, TinyModels.relu());
      Session session = Session.of(model, Session.threads(1).contexts(1));
      Primitive primitive = engine.unary(TensorDesc.f32(Dim.dynamic(1, 512), Dim.of(64)), UnaryFunction.EXP).create();
      Cancellation cancellation = new Cancellation();
      Tensor x = Tensor.copyOf(values, 256, 64);
      Tensor y = Tensor.allocateF32(256, 64);
      RunOptions options = new RunOptions().cancellation(cancellation);
      AutoCloseable[] all = {session, primitive, x, y, model, engine, cancellation};
      int first = random.nextInt(all.length);
      atOnce(
          random,
          () -> {
            for (int i = 0; i < 40; ++i) {
              session.runInto(new Tensor[] {x}, new Tensor[] {y}, options);
              primitive.execute(x).close();
              session.info();
              model.metadata();
              session.run(Map.of("x", x)).close();
              x.toFloatArray();
            }
          },
          () -> {
            for (int i = 0; i < all.length; ++i) {
              all[(first + i) % all.length].close();
            }
          });
    }
  }

  @Test
  void whatIsClosedSaysSo() {
    Engine engine = Engine.cpu();
    Model model = TinyModels.load(engine, TinyModels.relu());
    Session session = Session.of(model, Session.options());
    Primitive primitive = engine.unary(TensorDesc.f32(Dim.of(1)), UnaryFunction.RELU).create();
    Tensor x = Tensor.allocateF32(1, 1);
    Outputs y = session.run(Map.of("x", x));
    for (AutoCloseable each : new AutoCloseable[] {x, y, session, primitive, model, engine, x, y, session, primitive, model, engine}) {
      assertClosed(each);
    }
    Support.fails(Status.CLOSED, "inputs[0] is closed", () -> session.run(Map.of("x", x)));
    try (Tensor other = Tensor.allocateF32(1, 1)) {
      Support.fails(Status.CLOSED, "the session is closed", () -> session.run(Map.of("x", other)));
      Support.fails(Status.CLOSED, "outputs[0] is closed", () -> session.runInto(new Tensor[] {other}, new Tensor[] {x}));
      Support.fails(Status.CLOSED, "the primitive is closed", () -> primitive.execute(other));
    }
    Support.fails(Status.CLOSED, "the tensor is closed", x::toFloatArray);
    Support.fails(Status.CLOSED, "the tensor is closed", x::buffer);
    Support.fails(Status.CLOSED, "the tensor is closed", () -> y.get(0).floats());
    Support.fails(Status.CLOSED, "the model is closed", model::describe);
    Support.fails(Status.CLOSED, "the engine is closed", engine::isa);
  }

  private static void assertClosed(AutoCloseable each) {
    Throwable thrown = null;
    try {
      each.close();
    } catch (Exception failure) {
      thrown = failure;
    }
    assertNull(thrown);
  }

  /** What tensors hold that other tests left to the collector must not go while a test counts. */
  private static long heldOnceOthersAreGone() throws InterruptedException {
    long held = Pressure.reserved();
    for (int quiet = 0, i = 0; quiet < 5 && i < 500; ++i) {
      System.gc();
      Thread.sleep(20);
      long now = Pressure.reserved();
      quiet = now == held ? quiet + 1 : 0;
      held = now;
    }
    return held;
  }

  @Test
  void aBufferStaysGoodAfterItsTensorHasGone() throws Exception {
    long before = heldOnceOthersAreGone();
    FloatBuffer kept = Tensor.copyOf(new float[] {1, 2, 3}, 3).floats();
    ByteBuffer closed;
    try (Tensor t = Tensor.copyOf(new float[] {4, 5}, 2)) {
      closed = t.buffer();
    }
    for (int i = 0; i < 3; ++i) {
      System.gc();
      Thread.sleep(20);
    }
    assertEquals(2, kept.get(1));
    assertEquals(5, closed.getFloat(4));
    assertEquals(before + 20, Pressure.reserved());
    kept = null;
    closed = null;
    for (int i = 0; i < 100 && Pressure.reserved() > before; ++i) {
      System.gc();
      Thread.sleep(20);
    }
    assertEquals(before, Pressure.reserved());
  }

  @Test
  void aTensorWithoutABufferIsFreedWhenItIsClosed() throws InterruptedException {
    long before = heldOnceOthersAreGone();
    try (Tensor t = Tensor.copyOf(new float[] {1, 2}, 2)) {
      assertEquals(before + 8, Pressure.reserved());
      assertArrayEquals(new float[] {1, 2}, t.toFloatArray());
    }
    assertEquals(before, Pressure.reserved());
  }

  @Test
  void sessionsThatAreClosedLeaveNothing() throws Exception {
    try (Model tiny = TinyModels.load(CPU, TinyModels.relu());
        Tensor x = Tensor.allocateF32(4, 4)) {
      flat(
          10_000,
          () -> {
            try (Session s = Session.of(tiny, Session.threads(1));
                Outputs y = s.run(Map.of("x", x))) {
              y.get(0).rank();
            }
          });
    }
  }

  @Test
  void tensorsThatAreNotClosedAreFreed() throws Exception {
    try (Model tiny = TinyModels.load(CPU, TinyModels.relu());
        Session session = Session.of(tiny, Session.threads(1))) {
      flat(
          100_000,
          () -> {
            Tensor x = Tensor.allocateF32(48, 71);
            if (session.run(Map.of("x", x)).get(0).buffer().remaining() != 48 * 71 * 4) {
              throw new AssertionError("another size");
            }
          });
    }
  }

  /** The resident set after a quarter of the calls is what it is at the end: 100,000 of these tensors would be 2.7 GB. */
  private static void flat(int calls, Runnable call) throws Exception {
    long early = 0;
    long most = 0;
    for (int i = 1; i <= calls; ++i) {
      call.run();
      if (i % (calls / 20) == 0) {
        if (i <= calls / 4) {
          early = Math.max(early, Support.residentBytes());
        } else {
          most = Math.max(most, Support.residentBytes());
        }
      }
    }
    System.out.println(calls + " calls: " + (early >> 20) + " MB after a quarter, at most " + (most >> 20) + " MB later");
    assertTrue(most < early + (64 << 20), most + " bytes resident, " + early + " after a quarter of the calls");
  }
}
