// SPDX-License-Identifier: Apache-2.0
// Makes the garbage collector aware of native memory. It sees a tensor as some hundred bytes, so a program that forgets to close tensors
// could fill the machine before the collector has a reason to run; this gives it one.
package org.anydim;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

final class Pressure {
  /** Bytes up to which nothing is asked of the collector. */
  private static final long FLOOR = Math.max(64L << 20, Runtime.getRuntime().maxMemory() / 32);

  /** Most milliseconds to wait for what a collection found to be freed. */
  private static final int PATIENCE = 50;

  private static final AtomicLong held = new AtomicLong();
  private static final ReentrantLock collecting = new ReentrantLock();
  private static volatile long limit = FLOOR;

  private Pressure() {}

  static void take(long bytes) {
    if (held.addAndGet(bytes) > limit) {
      collect();
    }
  }

  static void give(long bytes) {
    held.addAndGet(-bytes);
  }

  /** Bytes of native memory that tensors hold. */
  static long held() {
    return held.get();
  }

  /** One collection; the next one is asked for when twice as much is held as was left. */
  private static void collect() {
    if (!collecting.tryLock()) {
      return;
    }
    try {
      long before = held.get();
      if (before <= limit) {
        return;
      }
      System.gc();
      for (int i = 0; i < PATIENCE && held.get() > before / 2; ++i) {
        Thread.sleep(1);
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } finally {
      limit = Math.max(FLOOR, 2 * held.get());
      collecting.unlock();
    }
  }
}
