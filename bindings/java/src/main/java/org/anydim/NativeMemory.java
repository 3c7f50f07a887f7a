// SPDX-License-Identifier: Apache-2.0
// Natives about memory, written by hand (bindings/java/native/memory.cpp).
package org.anydim;

import java.nio.Buffer;
import java.nio.ByteBuffer;

final class NativeMemory {
  static {
    NativeLibrary.load();
  }

  private NativeMemory() {}

  static native long allocate(long bytes);

  static native void free(long address);

  /** 0 for a buffer that is not direct. */
  static native long address(Buffer buffer);

  static native void copy(long from, long to, long bytes);

  static native ByteBuffer buffer(long address, long bytes);
}
