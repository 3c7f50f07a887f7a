// SPDX-License-Identifier: Apache-2.0
// Memory of the host program's, in place of the system's.
package org.anydim;

import java.nio.ByteBuffer;

/**
 * The program's own memory: what is made from an engine that has one ({@link Engine.Options#memory}) takes its large memory here (working
 * memory, packed weights and other constants, results). Small objects come from the system, and so do tensors that Java makes.
 *
 * <p>Both methods are called on any thread, several at once, and must not call Anydim. Memory may come back after the engine was closed,
 * while something was using it.
 *
 * <pre>{@code
 * public ByteBuffer allocate(long bytes, int alignment) {
 *   return bytes > limit - used.get() ? null : counted(ByteBuffer.allocateDirect((int) bytes + alignment).alignedSlice(alignment));
 * }
 * }</pre>
 */
public interface HostMemory {
  /**
   * Gives memory.
   *
   * @param bytes how much, at least 1
   * @param alignment the address of the buffer's position is a multiple of this, a power of two ({@link ByteBuffer#alignedSlice})
   * @return a direct buffer of which at least so many bytes are left, with any contents; null if there is none, which the call that needs it
   *     reports as {@link Status#OUT_OF_MEMORY}. An exception, or a buffer that does not fit, is printed and counts as none
   */
  @Nullable ByteBuffer allocate(long bytes, int alignment);

  /**
   * Frees what {@link #allocate} returned. An exception is printed.
   *
   * @param memory that very buffer
   */
  void release(ByteBuffer memory);
}
