// SPDX-License-Identifier: Apache-2.0
// What the process keeps of primitives for those that are made like them.
package org.anydim;

/** The primitive cache of this process: kernels and descriptors by configuration, so that making a primitive again takes microseconds. */
public final class PrimitiveCache {
  private PrimitiveCache() {}

  /**
   * Sets how many bytes it may hold; what is too much is dropped at once.
   *
   * @param bytes the most bytes; 0 turns it off
   */
  public static void limit(long bytes) {
    NativeCalls.primitiveCacheSetLimit(bytes);
  }

  /**
   * Most bytes that it may hold.
   *
   * @return the bytes
   */
  public static long limit() {
    return NativeCalls.primitiveCacheQuery().limitBytes;
  }

  /**
   * Bytes that it holds.
   *
   * @return the bytes
   */
  public static long bytes() {
    return NativeCalls.primitiveCacheQuery().bytes;
  }

  /**
   * Entries that it holds.
   *
   * @return their number
   */
  public static long entries() {
    return NativeCalls.primitiveCacheQuery().entries;
  }

  /** Drops all that it holds. */
  public static void clear() {
    NativeCalls.primitiveCacheClear();
  }
}
