// SPDX-License-Identifier: Apache-2.0
// What owns a handle of the C API: the base of engines, models, sessions and others.
package org.anydim;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.charset.StandardCharsets;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;

abstract class NativeObject implements AutoCloseable {
  /** The handle, with those who use it now. */
  static final class Handle extends Resource {
    private static final long serialVersionUID = 1;
    final long value;
    private final transient LongConsumer destroy;

    Handle(long value, LongConsumer destroy) {
      this.value = value;
      this.destroy = destroy;
    }

    @Override
    void free() {
      destroy.accept(value);
    }
  }

  final Handle handle;
  private final String what;
  private final Cleaner.Cleanable cleanable;

  NativeObject(String what, long value, LongConsumer destroy) {
    this.what = what;
    handle = new Handle(value, destroy);
    cleanable = Resource.CLEANER.register(this, handle);
  }

  /**
   * Gives it up. Calls that run go on to their end; later ones fail with {@link Status#CLOSED}. What was made from it goes on working.
   * Closing again does nothing.
   */
  @Override
  public void close() {
    cleanable.clean();
  }

  /** The handle's value, good until leave(). */
  final long enter() {
    if (!handle.enter()) {
      throw AnydimException.of(Status.CLOSED, "the " + what + " is closed");
    }
    return handle.value;
  }

  final void leave() {
    handle.leave();
    Reference.reachabilityFence(this);
  }

  final <T> T with(LongFunction<T> call) {
    long value = enter();
    try {
      return call.apply(value);
    } finally {
      leave();
    }
  }

  final long number(LongUnaryOperator call) {
    long value = enter();
    try {
      return call.applyAsLong(value);
    } finally {
      leave();
    }
  }

  /** Its kind, and whether it is closed. */
  @Override
  public String toString() {
    return getClass().getSimpleName() + (handle.closed() ? "[closed]" : "[open]");
  }

  /** A text that the library made for the caller. */
  static String text(LongSupplier made) {
    long handle = made.getAsLong();
    try {
      return new String(NativeCalls.textGetData(handle), StandardCharsets.UTF_8);
    } finally {
      NativeCalls.textDestroy(handle);
    }
  }
}
