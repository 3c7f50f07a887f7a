// SPDX-License-Identifier: Apache-2.0
// Something native that users share and that is freed when it was closed and the last of them has left: the reason that closing is safe at
// any time. It is what a Cleaner runs, so it must not know the object that owns it.
package org.anydim;

import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicInteger;

/** The state is the number of users, and the sign once it is closed. */
abstract class Resource extends AtomicInteger implements Runnable {
  private static final long serialVersionUID = 1;
  static final Cleaner CLEANER = Cleaner.create();

  /** Frees it; called once, when nobody uses it and nobody will. */
  abstract void free();

  /** Takes part in its use; false if it is closed. Whoever got true leaves. */
  final boolean enter() {
    for (int now = get(); now >= 0; now = get()) {
      if (compareAndSet(now, now + 1)) {
        return true;
      }
    }
    return false;
  }

  final void leave() {
    if (decrementAndGet() == Integer.MIN_VALUE) {
      free();
    }
  }

  final boolean closed() {
    return get() < 0;
  }

  /** Closes it; again does nothing. */
  @Override
  public final void run() {
    for (int now = get(); now >= 0; now = get()) {
      if (compareAndSet(now, now | Integer.MIN_VALUE)) {
        if (now == 0) {
          free();
        }
        return;
      }
    }
  }
}
