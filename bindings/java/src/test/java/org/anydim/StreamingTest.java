// SPDX-License-Identifier: Apache-2.0
// Models by chunks: the bits of the whole, whatever the chunks; memory, failures, two sequences at once.
package org.anydim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class StreamingTest {
  private static final Engine CPU = Engine.cpu();
  private static final int SAMPLES = 200;

  @AfterAll
  static void close() {
    CPU.close();
  }

  private static float[] drawn(int count, int seed) {
    Random random = new Random(seed);
    float[] values = new float[count];
    for (int i = 0; i < count; ++i) {
      values[i] = (float) random.nextGaussian();
    }
    return values;
  }

  /** A filter of nine taps, and the highest value of all. */
  private static Session filter(boolean peak) {
    Model.Options options = Model.options().streaming("audio", 2).streamingChunk(64);
    try (ModelBuilder graph = ModelBuilder.of();
        Tensor taps = Tensor.copyOf(drawn(9, 1), 1, 1, 9)) {
      graph.opset("", 17).input("audio", DType.F32, 1, 1, "samples").constant("taps", taps);
      graph.node("Conv", List.of("audio", "taps"), List.of("filtered")).set("pads", new long[] {4, 4});
      graph.node(peak ? "GlobalMaxPool" : "Tanh", List.of("filtered"), List.of("y"));
      graph.output("y");
      try (Model model = graph.load(CPU, options)) {
        return Session.of(model, Session.threads(1));
      }
    }
  }

  private static Tensor chunk(float[] audio, int from, int to) {
    return Tensor.copyOf(Arrays.copyOfRange(audio, from, to), 1, 1, to - from);
  }

  private static float[] joined(float[] a, float[] b) {
    float[] both = Arrays.copyOf(a, a.length + b.length);
    System.arraycopy(b, 0, both, a.length, b.length);
    return both;
  }

  private static float[] push(Streaming streaming, float[] audio, int from, int to, boolean last) {
    try (Tensor x = chunk(audio, from, to);
        Outputs y = last ? streaming.finish(Map.of("audio", x)) : streaming.push(Map.of("audio", x))) {
      return y.get("y").toFloatArray();
    }
  }

  @Test
  void chunksHaveTheBitsOfTheWhole() {
    float[] audio = drawn(SAMPLES, 2);
    try (Session session = filter(false);
        Streaming streaming = Streaming.of(session);
        Tensor all = chunk(audio, 0, SAMPLES);
        Outputs whole = session.run(Map.of("audio", all))) {
      assertEquals(2, streaming.axis(0));
      for (int[] cuts : new int[][] {{64, 128, 192}, {0, 1, 1, 3, 50, 113, 170}, {7, 70, 71, 130, 190}, {60, 120, 180, SAMPLES}}) {
        float[] got = {};
        int from = 0;
        for (int to : cuts) {
          got = joined(got, push(streaming, audio, from, to, false));
          from = to;
        }
        got = joined(got, push(streaming, audio, from, SAMPLES, true));
        assertArrayEquals(whole.get("y").toFloatArray(), got);
        assertEquals(SAMPLES, streaming.info().received());
        assertEquals(cuts.length + 1, streaming.info().chunks());
        streaming.reset();
      }
    }
  }

  @Test
  void twoSequencesOfASessionDoNotMeet() {
    float[] first = drawn(SAMPLES, 3);
    float[] second = drawn(SAMPLES, 4);
    Session session = filter(false);
    try (Streaming one = Streaming.of(session);
        Streaming two = Streaming.of(session)) {
      session.close(); // sequences keep what they need
      float[] a = {};
      float[] b = {};
      for (int at = 0; at < SAMPLES; at += 50) {
        a = joined(a, push(one, first, at, at + 50, at + 50 == SAMPLES));
        b = joined(b, push(two, second, at, at + 50, at + 50 == SAMPLES));
      }
      one.reset();
      float[] again = {};
      for (int at = 0; at < SAMPLES; at += 40) {
        again = joined(again, push(one, second, at, at + 40, at + 40 == SAMPLES));
      }
      assertEquals(SAMPLES, a.length);
      assertArrayEquals(b, again);
    }
  }

  @Test
  void memoryIsKnownAndWhatDoesNotFitIsRefused() {
    float[] audio = drawn(SAMPLES, 5);
    try (Session session = filter(false)) {
      Streaming streaming = Streaming.of(session);
      assertTrue(streaming.bytesNeeded() > 0);
      assertEquals(64, streaming.info().mostChunk());
      assertEquals(Status.OUT_OF_BOUNDS, refused(() -> push(streaming, audio, 0, 65, false)));
      assertEquals(Status.INVALID_ARGUMENT, refused(() -> streaming.push(Map.of())));
      push(streaming, audio, 0, 10, true);
      assertEquals(Status.INVALID_ARGUMENT, refused(() -> push(streaming, audio, 10, 20, false)));
      streaming.close();
      assertEquals(Status.CLOSED, refused(streaming::reset));
    }
    try (Model model = TinyModels.load(CPU, TinyModels.relu());
        Session session = Session.of(model)) {
      assertEquals(Status.INVALID_ARGUMENT, refused(() -> Streaming.of(session)));
    }
    AnydimException whole = assertThrows(AnydimException.class, () -> filter(true));
    assertTrue(whole.getMessage().contains("reduces the whole axis"), whole.getMessage());
  }

  private static Status refused(Runnable call) {
    return assertThrows(AnydimException.class, call::run).status();
  }
}
