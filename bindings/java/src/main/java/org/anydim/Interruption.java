// SPDX-License-Identifier: Apache-2.0
// Thread.interrupt as a cancellation: java.nio reports it to a channel of the thread at once, so nothing polls.
package org.anydim;

import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.spi.AbstractInterruptibleChannel;
import java.util.function.LongFunction;

/**
 * Runs a call that an interrupt of its thread ends. Each thread has one such object, which is replaced after an interrupt. A cancellation
 * of the caller's is followed while the call runs: the library takes one for each run.
 */
final class Interruption extends AbstractInterruptibleChannel {
  private static final ThreadLocal<Interruption> OF_THREAD = ThreadLocal.withInitial(Interruption::new);

  private final Cancellation stop = new Cancellation();
  private boolean inUse;

  private Interruption() {}

  /** Called by the thread that interrupts. */
  @Override
  protected void implCloseChannel() {
    stop.set(true);
  }

  /**
   * Makes a call with the handle of a cancellation.
   *
   * @param asked the caller's cancellation, or null
   */
  static <T> T run(@Nullable Cancellation asked, LongFunction<T> call) {
    Interruption mine = OF_THREAD.get();
    if (mine.inUse) { // a call within a call, such as of a loop's part: the outer one ends by the interrupt
      return asked == null ? call.apply(0) : asked.with(call);
    }
    mine.inUse = true;
    boolean isFollowing = false;
    try {
      if (asked != null) {
        asked.addFollower(mine.stop);
        isFollowing = true;
      }
      return mine.runOnce(call);
    } finally {
      mine.inUse = false;
      if (isFollowing) {
        asked.removeFollower(mine.stop);
      }
      if (!mine.isOpen()) {
        OF_THREAD.remove();
        mine.stop.close();
      } else if (isFollowing) {
        mine.stop.set(false);
      }
    }
  }

  private <T> T runOnce(LongFunction<T> call) {
    begin();
    try {
      return stop.with(call);
    } finally {
      try {
        end(true);
      } catch (AsynchronousCloseException interrupted) {
        // The call's own result says whether it was ended; the thread stays interrupted.
      }
    }
  }
}
