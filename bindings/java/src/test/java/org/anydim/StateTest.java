// SPDX-License-Identifier: Apache-2.0
// States: what a step hands on to the next, forks, and what is refused.
package org.anydim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class StateTest {
  private static final Engine CPU = Engine.cpu();

  @AfterAll
  static void close() {
    CPU.close();
  }

  private static Session session() {
    try (Model model = TinyModels.load(CPU, TinyModels.sumAndSquare())) {
      return Session.of(model, Session.threads(1));
    }
  }

  private static float step(State state, float x) {
    try (Tensor given = Tensor.copyOf(new float[] {x, 0}, 2);
        Outputs y = state.step(Map.of("x", given))) {
      return y.get("y").toFloatArray()[0];
    }
  }

  @Test
  void aStateIsHandedOnAndForksGoTheirOwnWays() {
    State state;
    try (Session session = session()) {
      state = State.of(session, 0);
      state.add("h", "next", State.NO_AXIS);
    }
    assertEquals(1, step(state, 1));
    assertEquals(9, step(state, 2));
    try (State copy = state.fork()) {
      assertEquals(16, step(state, 1));
      assertEquals(25, step(copy, 2));
    }
    state.reset();
    assertEquals(9, step(state, 3));
    try (Tensor ten = Tensor.copyOf(new float[] {10, 0}, 2);
        Tensor zero = Tensor.copyOf(new float[] {0, 0}, 2);
        Tensor y = Tensor.allocateF32(2)) {
      state.write(ten);
      state.stepInto(new Tensor[] {zero}, new Tensor[] {y});
      assertEquals(100, y.toFloatArray()[0]);
    }
    assertEquals(2, state.info().steps());
    assertEquals(8, state.info().bytes() / 2);
    state.close();
    assertEquals(Status.CLOSED, assertThrows(AnydimException.class, state::reset).status());
  }

  @Test
  void whatDoesNotFitIsRefused() {
    try (Session session = session();
        State state = State.of(session, 4);
        Tensor x = Tensor.copyOf(new float[] {1}, 1)) {
      assertEquals(Status.NOT_FOUND, refused(() -> state.add("nothing", "next", State.NO_AXIS)));
      assertEquals(Status.INVALID_ARGUMENT, refused(() -> state.add("h", "next", 3)));
      state.add("h", "next", State.NO_AXIS);
      assertEquals(Status.INVALID_ARGUMENT, refused(() -> state.step(Map.of())));
      assertEquals(Status.INVALID_ARGUMENT, refused(() -> state.step(Map.of("x", x, "h", x))));
      assertEquals(Status.UNIMPLEMENTED, refused(() -> state.truncate(0)));
    }
  }

  private static Status refused(Runnable call) {
    return assertThrows(AnydimException.class, call::run).status();
  }
}
