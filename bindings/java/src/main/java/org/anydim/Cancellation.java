// SPDX-License-Identifier: Apache-2.0
// What ends runs from outside.
package org.anydim;

import java.util.HashSet;
import java.util.Set;

/**
 * Ends runs from outside: those that were given it fail with {@link Status#CANCELLED} before their next node while it is on. One may
 * serve any number of runs, and any thread may set it.
 */
public final class Cancellation extends NativeObject {
  /** Those of threads whose runs have this one now (Interruption). */
  private final Set<Cancellation> followers = new HashSet<>();

  private boolean isCancelled;

  /** One that is off. */
  public Cancellation() {
    super("cancellation", NativeCalls.cancellationCreate(), NativeCalls::cancellationDestroy);
  }

  /** Turns it on, which ends the runs that have it and those to come. */
  public void cancel() {
    set(true);
  }

  /** Turns it off: runs that begin from now on are not ended. */
  public void reset() {
    set(false);
  }

  /**
   * Whether it is on.
   *
   * @return whether it is
   */
  public synchronized boolean isCancelled() {
    return isCancelled;
  }

  synchronized void set(boolean cancelled) {
    with(
        cancellation -> {
          NativeCalls.cancellationSet(cancellation, cancelled ? 1 : 0);
          return null;
        });
    isCancelled = cancelled;
    if (cancelled) {
      followers.forEach(Cancellation::cancel);
    }
  }

  /** Another one that is turned on with this one, at once if this one is on. */
  synchronized void addFollower(Cancellation follower) {
    with(
        open -> { // closed ones fail
          followers.add(follower);
          return null;
        });
    if (isCancelled) {
      follower.cancel();
    }
  }

  /** After this it is not turned on any more. */
  synchronized void removeFollower(Cancellation follower) {
    followers.remove(follower);
  }

  @Override
  public String toString() {
    return isCancelled() ? "Cancellation[on]" : "Cancellation[off]";
  }
}
