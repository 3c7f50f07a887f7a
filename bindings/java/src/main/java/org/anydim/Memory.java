// SPDX-License-Identifier: Apache-2.0
// The memory of a tensor: native and this package's to free, or a direct buffer of the caller's. It is freed when its tensor was closed,
// no call uses it, and no buffer over it is held: so no buffer is ever left without its memory.
package org.anydim;

import java.lang.ref.WeakReference;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.CountDownLatch;

abstract class Memory extends Resource {
  private static final long serialVersionUID = 1;
  final transient long address;
  final transient long bytes;

  private Memory(long address, long bytes) {
    this.address = address;
    this.bytes = bytes;
  }

  /** A new buffer over all of it. */
  abstract ByteBuffer buffer();

  /** One that is good only until the one who asks leaves the memory. */
  abstract ByteBuffer lend();

  /** Zeros, aligned to 64. */
  static Memory allocate(long bytes) {
    Pressure.take(bytes);
    try {
      return new Native(NativeMemory.allocate(bytes), bytes, false);
    } catch (Throwable failure) {
      Pressure.give(bytes);
      throw failure;
    }
  }

  /** What a call placed an output in. */
  static Memory ofResult(long address, long bytes) {
    Pressure.take(bytes);
    return new Native(address, bytes, true);
  }

  /** What is left of a direct buffer, from its position. */
  static Memory of(ByteBuffer buffer) {
    ByteBuffer part = buffer.slice();
    return new Wrapped(NativeMemory.address(part), part, part);
  }

  /** All of a direct buffer of any type, which is kept alive. */
  static Memory of(Buffer part, long bytes) {
    long address = NativeMemory.address(part);
    return new Wrapped(address, NativeMemory.buffer(address, bytes), part);
  }

  /** The library's, for the length of a call of an operator of the program's. */
  static Lent lent(long address, long bytes) {
    return new Lent(address, bytes);
  }

  /** What users see as a buffer is a copy: it stays, and the library's memory does not. */
  static final class Lent extends Memory {
    private static final long serialVersionUID = 1;
    private final transient CountDownLatch unused = new CountDownLatch(1);
    private transient @Nullable ByteBuffer copy;

    private Lent(long address, long bytes) {
      super(address, bytes);
    }

    @Override
    void free() {
      unused.countDown();
    }

    /** Ends the loan; returns when nobody reads it any more. */
    void end() {
      run();
      boolean interrupted = false;
      for (;;) {
        try {
          unused.await();
          break;
        } catch (InterruptedException again) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    synchronized ByteBuffer buffer() {
      if (copy == null) {
        if (!enter()) {
          throw AnydimException.of(Status.CLOSED, "the tensor is closed");
        }
        try {
          copy = ByteBuffer.allocateDirect((int) bytes).put(lend());
        } finally {
          leave();
        }
      }
      return copy.duplicate().clear().asReadOnlyBuffer().order(ByteOrder.nativeOrder());
    }

    @Override
    ByteBuffer lend() {
      return NativeMemory.buffer(address, Math.min(bytes, Integer.MAX_VALUE)).order(ByteOrder.nativeOrder());
    }
  }

  private static final class Native extends Memory {
    private static final long serialVersionUID = 1;
    private final transient boolean result;
    private transient WeakReference<ByteBuffer> root = new WeakReference<>(null);

    Native(long address, long bytes, boolean result) {
      super(address, bytes);
      this.result = result;
    }

    @Override
    void free() {
      if (result) {
        NativeCalls.resultRelease(address);
      } else {
        NativeMemory.free(address);
      }
      Pressure.give(bytes);
    }

    /** Buffers that are made of the root hold it; when the last has gone, it leaves the memory. */
    @Override
    synchronized ByteBuffer buffer() {
      ByteBuffer whole = root.get();
      if (whole == null) {
        if (!enter()) {
          throw AnydimException.of(Status.CLOSED, "the tensor is closed");
        }
        whole = NativeMemory.buffer(address, bytes);
        CLEANER.register(whole, this::leave);
        root = new WeakReference<>(whole);
      }
      return whole.duplicate().order(ByteOrder.nativeOrder());
    }

    @Override
    ByteBuffer lend() {
      return NativeMemory.buffer(address, Math.min(bytes, Integer.MAX_VALUE)).order(ByteOrder.nativeOrder());
    }
  }

  private static final class Wrapped extends Memory {
    private static final long serialVersionUID = 1;
    private final transient ByteBuffer whole;
    private final transient Buffer kept; // whose memory it is

    Wrapped(long address, ByteBuffer whole, Buffer kept) {
      super(address, whole.capacity());
      this.whole = whole;
      this.kept = kept;
    }

    @Override
    void free() {}

    @Override
    ByteBuffer buffer() {
      return whole.duplicate().order(ByteOrder.nativeOrder());
    }

    @Override
    ByteBuffer lend() {
      return buffer();
    }
  }
}
