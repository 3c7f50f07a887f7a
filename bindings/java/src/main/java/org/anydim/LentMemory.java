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
    ByteBuffer given = self.host.allocate(bytes, (int) alignment);
    if (given == null) {
      return 0;
    }
    long address = given.isDirect() && !given.isReadOnly() ? NativeMemory.address(given.slice()) : 0;
    if (address == 0 || address % alignment != 0 || given.remaining() < bytes) {
      self.host.release(given);
      throw new IllegalStateException(
          "HostMemory.allocate gave " + given + " at " + address + "; expected a direct buffer with " + bytes
              + " bytes left at a multiple of " + alignment);
    }
    self.lent.put(address, given);
    return address;
  }

  /** Called by the natives. */
  static void release(Object memory, long address) {
    LentMemory self = (LentMemory) memory;
    ByteBuffer given = self.lent.remove(address);
    if (given != null) {
      self.host.release(given);
    }
  }
}
