// SPDX-License-Identifier: Apache-2.0
// Interrupts of threads that run models, beside cancellations, and what a program learns about why a run did not begin.
package org.anydim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class InterruptionTest {
  private static final Engine CPU = Engine.cpu();
  private static final Session CLS = Session.open(CPU, Support.model("cls.onnx"), Session.threads(1).contexts(1));
  private static final Tensor MANY = Tensor.allocateF32(512, 3, 48, 192); // takes seconds

  @AfterAll
  static void close() {
    CLS.close();
    MANY.close();
    CPU.close();
  }

  private static AnydimException failureOf(Callable<Outputs> run) {
    return assertThrows(
        AnydimException.class,
        () -> {
          Outputs done = run.call();
          done.close();
          throw new AssertionError("it ended with " + done);
        });
  }

  private static void untilOneRuns() throws InterruptedException {
    while (CLS.info().inUse() == 0) {
      Thread.sleep(1);
    }
  }

  private interface Ending {
    void end(Thread thread) throws Exception;
  }

  /** A run on a thread of its own, which something ends: its failure, and whether the thread is interrupted then. */
  private static FutureTask<Boolean> ended(RunOptions options, Ending ending) throws Exception {
    FutureTask<Boolean> task =
        new FutureTask<>(
            () -> {
              AnydimException failure = failureOf(() -> CLS.run(Map.of("x", MANY), options));
              assertInstanceOf(AnydimException.Cancelled.class, failure);
              return Thread.currentThread().isInterrupted();
            });
    Thread thread = new Thread(task);
    thread.start();
    untilOneRuns();
    ending.end(thread);
    return task;
  }

  @Test
  void anInterruptEndsARunAndTheThreadStaysInterrupted() throws Exception {
    assertTrue(ended(new RunOptions(), Thread::interrupt).get());
    try (Cancellation other = new Cancellation()) {
      assertTrue(ended(new RunOptions().cancellation(other), Thread::interrupt).get());
      assertFalse(other.isCancelled(), "the caller's cancellation is not turned on by an interrupt");
    }
  }

  @Test
  void aThreadThatIsInterruptedRunsNothingUntilItIsCleared() {
    try (Tensor x = Tensor.allocateF32(1, 3, 48, 192)) {
      Thread.currentThread().interrupt();
      assertInstanceOf(AnydimException.Cancelled.class, failureOf(() -> CLS.run(Map.of("x", x))));
      assertTrue(Thread.interrupted());
      CLS.run(Map.of("x", x)).close();
    }
  }

  @Test
  void aCancellationEndsRunsOfAllThreadsAndOfNoneLater() throws Exception {
    try (Cancellation stop = new Cancellation();
        Tensor x = Tensor.allocateF32(1, 3, 48, 192)) {
      RunOptions options = new RunOptions().cancellation(stop);
      assertFalse(ended(options, thread -> stop.cancel()).get());
      assertTrue(stop.isCancelled());
      assertInstanceOf(AnydimException.Cancelled.class, failureOf(() -> CLS.run(Map.of("x", x), options)));
      CLS.run(Map.of("x", x)).close(); // this thread's next run has no cancellation
      stop.reset();
      CLS.run(Map.of("x", x), options).close();
    }
    Cancellation closed = new Cancellation();
    closed.close();
    try (Tensor x = Tensor.allocateF32(1, 3, 48, 192)) {
      Support.fails(Status.CLOSED, "closed", () -> CLS.run(Map.of("x", x), new RunOptions().cancellation(closed)));
    }
  }

  @Test
  void aTimeoutIsNoSecondUserAndAMissingFileNoWrongName() throws Exception {
    try (Tensor x = Tensor.allocateF32(1, 3, 48, 192)) {
      FutureTask<Boolean> first =
          ended(
              new RunOptions(),
              thread -> {
                AnydimException late = failureOf(() -> CLS.run(Map.of("x", x), new RunOptions().timeout(Duration.ofMillis(1))));
                assertInstanceOf(AnydimException.TimedOut.class, late);
                assertInstanceOf(AnydimException.Busy.class, late);
                assertEquals(Status.TIMED_OUT, late.status());
                thread.interrupt();
              });
      assertTrue(first.get());
      AnydimException missing = assertThrows(AnydimException.class, () -> Model.load(CPU, Path.of("no such file.onnx")));
      assertInstanceOf(AnydimException.FileNotFound.class, missing);
      AnydimException wrong = failureOf(() -> CLS.run(Map.of("z", x)));
      assertEquals(AnydimException.NotFound.class, wrong.getClass());
    }
  }

  @Test
  void aFullQueueIsSaidSo() throws Exception {
    Batching small = new Batching().rows(2).longestWait(Duration.ofSeconds(60)).waiting(1);
    try (Session session = Session.open(CPU, Support.model("cls.onnx"), Session.threads(1).contexts(1).batching(small));
        Tensor x = Tensor.allocateF32(1, 3, 48, 192)) {
      List<FutureTask<Status>> runs = new ArrayList<>();
      for (int i = 0; i < 12; ++i) {
        FutureTask<Status> run =
            new FutureTask<>(
                () -> {
                  try {
                    session.run(Map.of("x", x), new RunOptions().timeout(Duration.ofMillis(1))).close();
                    return Status.OK;
                  } catch (AnydimException failure) {
                    return failure.status();
                  }
                });
        runs.add(run);
        new Thread(run).start();
      }
      List<Status> found = new ArrayList<>();
      for (FutureTask<Status> run : runs) {
        found.add(run.get());
      }
      assertTrue(found.stream().allMatch(s -> s == Status.OK || s == Status.QUEUE_FULL || s == Status.TIMED_OUT), found::toString);
    }
  }
}
