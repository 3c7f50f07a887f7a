// SPDX-License-Identifier: Apache-2.0
// One loop that the library gave to a ParallelLoop: keeps late parts away from what has ended.
package org.anydim;

import java.util.function.IntConsumer;

/** One loop. Its parts are addresses that are good until it ends, so late ones are kept away, and it ends when none runs. */
final class LoopCall implements IntConsumer {
  private final long part;
  private final long context;
  private int running;
  private boolean ended;

  private LoopCall(long part, long context) {
    this.part = part;
    this.context = context;
  }

  @Override
  public void accept(int index) {
    synchronized (this) {
      if (ended) {
        return;
      }
      ++running;
    }
    try {
      NativeCallbacks.runPart(part, context, index);
    } finally {
      synchronized (this) {
        if (--running == 0) {
          notifyAll();
        }
      }
    }
  }

  private synchronized void end() {
    ended = true;
    boolean interrupted = false;
    while (running > 0) {
      try {
        wait();
      } catch (InterruptedException again) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Called by the natives. */
  static int run(Object loop, long parts, long part, long context) {
    LoopCall call = new LoopCall(part, context);
    try {
      ((ParallelLoop) loop).run((int) parts, call);
    } finally {
      call.end();
    }
    return 0;
  }
}
