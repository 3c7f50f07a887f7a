// SPDX-License-Identifier: Apache-2.0
// What ends runs from outside.
package org.anydim;

/**
 * Ends runs from outside: those that were given it fail with {@link Status#CANCELLED} before their next node while it is on. One may
 * serve any number of runs, and any thread may set it.
 */
public final class Cancellation extends NativeObject {
  /** One that is off. */
  public Cancellation() {
    super("cancellation", NativeCalls.cancellationCreate(), NativeCalls::cancellationDestroy);
  }

  /**
   * Turns it on, which ends the runs that have it and those to come, or off.
   *
   * @param cancelled whether it is on
   */
  public void set(boolean cancelled) {
    with(
        cancellation -> {
          NativeCalls.cancellationSet(cancellation, cancelled ? 1 : 0);
          return null;
        });
  }
}
