// SPDX-License-Identifier: Apache-2.0
// Tensors of buffers that are no bytes, on the heap and direct; what a state holds; what objects say of themselves.
package org.anydim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class BuffersTest {
  private static final Engine CPU = Engine.cpu();

  @AfterAll
  static void close() {
    CPU.close();
  }

  private static ByteBuffer direct(int bytes) {
    return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
  }

  @Test
  void aDirectBufferIsUsedWhereItIs() {
    FloatBuffer floats = direct(20).asFloatBuffer().put(new float[] {9, 1, -2, 3, -4}).position(1);
    try (Model model = TinyModels.load(CPU, TinyModels.relu());
        Session session = Session.of(model);
        Tensor x = Tensor.of(floats, 2, 2);
        Tensor y = Tensor.allocateF32(2, 2)) {
      session.runInto(new Tensor[] {x}, new Tensor[] {y});
      assertArrayEquals(new float[] {1, 0, 3, 0}, y.toFloatArray());
      floats.put(2, 7);
      session.runInto(new Tensor[] {x}, new Tensor[] {y});
      assertArrayEquals(new float[] {1, 7, 3, 0}, y.toFloatArray());
      assertEquals(7, x.floats().get(1));
      assertEquals(1, floats.position());
    }
    LongBuffer longs = direct(16).asLongBuffer().put(new long[] {5, 6}).flip();
    IntBuffer ints = direct(8).asIntBuffer().put(new int[] {5, 6}).flip();
    DoubleBuffer doubles = direct(16).asDoubleBuffer().put(new double[] {5, 6}).flip();
    try (Tensor a = Tensor.of(longs, 2);
        Tensor b = Tensor.of(ints, 2);
        Tensor c = Tensor.of(doubles, 2)) {
      assertArrayEquals(new long[] {5, 6}, a.toLongArray());
      assertArrayEquals(new int[] {5, 6}, b.toIntArray());
      assertArrayEquals(new double[] {5, 6}, c.toDoubleArray());
      a.longs().put(0, 8);
      b.ints().put(0, 8);
      c.doubles().put(0, 8);
      assertEquals(24, longs.get(0) + ints.get(0) + doubles.get(0));
    }
  }

  @Test
  void aBufferOfTheHeapOrOfAnotherOrderIsCopied() {
    FloatBuffer heap = FloatBuffer.wrap(new float[] {1, 2, 3}).position(1);
    FloatBuffer swapped = ByteBuffer.allocateDirect(8).order(ByteOrder.BIG_ENDIAN).asFloatBuffer().put(new float[] {2, 3}).flip();
    ShortBuffer halves = ShortBuffer.wrap(new short[] {0x3c00, 0x4000});
    try (Tensor a = Tensor.copyOf(heap, 2);
        Tensor b = Tensor.copyOf(swapped, 2);
        Tensor c = Tensor.copyOf(LongBuffer.wrap(new long[] {4}), 1);
        Tensor d = Tensor.copyOf(DType.F16, halves, 2);
        Tensor e = Tensor.copyOf(IntBuffer.wrap(new int[] {4}), 1);
        Tensor f = Tensor.copyOf(DoubleBuffer.wrap(new double[] {4}), 1)) {
      assertArrayEquals(new float[] {2, 3}, a.toFloatArray());
      assertArrayEquals(a.toFloatArray(), b.toFloatArray());
      assertArrayEquals(new short[] {0x3c00, 0x4000}, d.toShortArray());
      assertEquals(12, c.toLongArray()[0] + e.toIntArray()[0] + (long) f.toDoubleArray()[0]);
      assertEquals(1, heap.position());
    }
    Support.fails(Status.INVALID_ARGUMENT, "on the heap", () -> Tensor.of(heap, 2));
    Support.fails(Status.INVALID_ARGUMENT, "BIG_ENDIAN", () -> Tensor.of(swapped, 2));
    Support.fails(Status.INVALID_ARGUMENT, "2 elements left", () -> Tensor.of(direct(8).asFloatBuffer(), 3));
    Support.fails(Status.INVALID_ARGUMENT, "read-only", () -> Tensor.of(direct(8).asFloatBuffer().asReadOnlyBuffer(), 2));
    Support.fails(Status.INVALID_ARGUMENT, "2 elements", () -> Tensor.copyOf(heap, 3));
  }

  @Test
  void aStateIsReadAsACopy() {
    try (Model model = TinyModels.load(CPU, TinyModels.sumAndSquare());
        Session session = Session.of(model);
        State state = State.of(session, 0);
        Tensor x = Tensor.copyOf(new float[] {1, 2}, 2)) {
      state.add("h", "next", State.NO_AXIS);
      Support.fails(Status.NOT_FOUND, "part is 1", () -> state.read(1));
      state.step(Map.of("x", x)).close();
      try (Tensor held = state.read(0)) {
        state.step(Map.of("x", x)).close();
        assertArrayEquals(new float[] {1, 2}, held.toFloatArray());
      }
      try (Tensor held = state.read(0)) {
        assertArrayEquals(new float[] {2, 4}, held.toFloatArray());
      }
      assertTrue(state.info().toString().startsWith("steps 2, "), state.info()::toString);
    }
  }

  @Test
  void objectsSayWhatTheyAre() {
    try (Model model = TinyModels.load(CPU, TinyModels.relu());
        Session session = Session.of(model);
        Tensor x = Tensor.allocateF32(1, 2);
        Outputs y = session.run(Map.of("x", x))) {
      assertEquals("Outputs[y: F32[1, 2]]", y.toString());
      assertEquals("Model[open]", model.toString());
    }
    assertEquals("RunOptions[timeout 5 ms, outputs [y]]", new RunOptions().timeout(Duration.ofMillis(5)).outputs("y").toString());
    assertEquals("Bounds[x: [1..4, 3]]", Bounds.of("x", Dim.dynamic(1, 4), Dim.of(3)).toString());
    assertEquals("Batching[rows 16, longest wait 1000 us, waiting 1024]", new Batching().rows(16).toString());
    assertTrue(PostOp.relu().toString().startsWith("RELU"));
  }
}
