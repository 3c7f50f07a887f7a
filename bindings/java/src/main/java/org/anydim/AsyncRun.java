// SPDX-License-Identifier: Apache-2.0
// A run on another thread, as a CompletableFuture whose cancel() ends it.
package org.anydim;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

final class AsyncRun extends CompletableFuture<Outputs> {
  private static final AtomicInteger STARTED = new AtomicInteger();

  /** As many threads as there are runs at the same time; they end after a minute without one, and with the program. */
  static final Executor THREADS =
      Executors.newCachedThreadPool(
          work -> {
            Thread thread = new Thread(work, "anydim-run-" + STARTED.incrementAndGet());
            thread.setDaemon(true);
            return thread;
          });

  /** Null if the caller's options have one. */
  private final Cancellation own;

  private AsyncRun(Cancellation own) {
    this.own = own;
  }

  static AsyncRun start(Session session, Map<String, Tensor> inputs, RunOptions options, Executor executor) {
    AsyncRun run = new AsyncRun(options.cancellation() == null ? new Cancellation() : null);
    RunOptions used = run.own == null ? options : options.with(run.own);
    try {
      executor.execute(() -> run.compute(session, inputs, used));
    } catch (RuntimeException refused) {
      run.end();
      throw refused;
    }
    return run;
  }

  private void compute(Session session, Map<String, Tensor> inputs, RunOptions options) {
    try {
      if (isDone()) {
        return; // it was cancelled before it began
      }
      Outputs outputs = session.run(inputs, options);
      if (!complete(outputs)) {
        outputs.close(); // nobody gets them
      }
    } catch (Throwable failure) {
      completeExceptionally(failure);
    } finally {
      end();
    }
  }

  private void end() {
    if (own != null) {
      own.close();
    }
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    boolean cancelled = super.cancel(mayInterruptIfRunning);
    if (cancelled && own != null) {
      try {
        own.cancel();
      } catch (AnydimException.Closed ended) {
        // The run has ended meanwhile.
      }
    }
    return cancelled;
  }
}
