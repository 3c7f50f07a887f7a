// SPDX-License-Identifier: Apache-2.0
// Makes the garbage collector aware of native memory. It sees a tensor as some hundred bytes, so a program that forgets to close tensors
// could fill the machine before the collector has a reason to run; this gives it one.
package org.anydim;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

final class Pressure {
  /** Bytes up to which nothing is asked of the collector. */
  private static final long FLOOR = Math.max(64L << 20, Runtime.getRuntime().maxMemory() / 32);

  /** Milliseconds in which nothing is freed before nobody waits for more: on a busy machine the cleaner's thread is away that long. */
  private static final int LONGEST_IDLE = 100;

  /** Most milliseconds to wait in all. */
  private static final int LONGEST = 2000;

  private static final AtomicLong reserved = new AtomicLong();
  private static final ReentrantLock collecting = new ReentrantLock();
  private static volatile long limit = FLOOR;

  private Pressure() {}

  static void take(long bytes) {
    if (reserved.addAndGet(bytes) > limit) {
      collect();
    }
  }

  static void give(long bytes) {
    reserved.addAndGet(-bytes);
  }

  /** Bytes of native memory that tensors hold. */
  static long reserved() {
    return reserved.get();
  }

  /** One collection; the next one is asked for when twice as much is held as was left. */
  private static void collect() {
    if (!collecting.tryLock()) {
      return;
    }
    try {
      long before = reserved.get();
      if (before <= limit) {
        return;
      }
      System.gc();
      long least = reserved.get();
      for (int idle = 0, all = 0; idle < LONGEST_IDLE && all < LONGEST && least > before / 2; ++idle, ++all) {
        Thread.sleep(1);
        long now = reserved.get();
        if (now < least) {
          least = now;
          idle = 0;
        }
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } finally {
      limit = Math.max(FLOOR, 2 * reserved.get());
      collecting.unlock();
    }
  }
}
