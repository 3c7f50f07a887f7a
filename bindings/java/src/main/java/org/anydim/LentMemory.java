// SPDX-License-Identifier: Apache-2.0
// What an engine has of a HostMemory: its buffers by their addresses, which is how C gives them back.
package org.anydim;

import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentHashMap;

final class LentMemory {
  private final HostMemory host;
  private final ConcurrentHashMap<Long, ByteBuffer> lent = new ConcurrentHashMap<>();

  LentMemory(HostMemory host) {
    this.host = host;
  }

  /** Called by the natives: an address, or 0. */
  static long allocate(Object memory, long bytes, long alignment) {
    LentMemory self = (LentMemory) memory;
    ByteBuffer block = self.host.allocate(bytes, (int) alignment);
    if (block == null) {
      return 0;
    }
    long address = block.isDirect() && !block.isReadOnly() ? NativeMemory.address(block.slice()) : 0;
    if (address == 0 || address % alignment != 0 || block.remaining() < bytes) {
      self.host.release(block);
      throw new IllegalStateException(
          "HostMemory.allocate gave " + block + " at " + address + "; expected a direct buffer with " + bytes
              + " bytes left at a multiple of " + alignment);
    }
    self.lent.put(address, block);
    return address;
  }

  /** Called by the natives. */
  static void release(Object memory, long address) {
    LentMemory self = (LentMemory) memory;
    ByteBuffer block = self.lent.remove(address);
    if (block != null) {
      self.host.release(block);
    }
  }
}
