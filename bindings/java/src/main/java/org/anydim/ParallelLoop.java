// SPDX-License-Identifier: Apache-2.0
// A loop of the host program's, in place of the library's threads.
package org.anydim;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.IntConsumer;

/**
 * The program's own loop, in place of the library's threads: what is made from an engine that has one computes in it and starts no
 * thread. Results do not depend on it.
 */
@FunctionalInterface
public interface ParallelLoop {
  /**
   * Calls {@code part} with each index below {@code parts}, on any threads, at the same time or one after the other. What it leaves out,
   * the thread that called does afterwards; what it has begun is waited for; so it may hand parts out and return. An exception
   * is printed, and the parts that are left are done all the same.
   *
   * @param parts the number of parts, at most the threads that the call may use
   * @param part does one of them; a call after the loop has ended does nothing
   */
  void run(int parts, IntConsumer part);

  /**
   * A loop whose parts run in an executor, and one of them on the thread that calls. Parts that the executor has not begun when that one
   * is done are done by it, too, so an executor that is busy delays nobody.
   *
   * @param executor runs parts
   * @return the loop
   */
  static ParallelLoop on(Executor executor) {
    return (parts, part) -> {
      try {
        for (int i = 1; i < parts; ++i) {
          int index = i;
          executor.execute(() -> part.accept(index));
        }
      } catch (RejectedExecutionException full) {
        // What it does not take is done here.
      }
      part.accept(0);
    };
  }
}
