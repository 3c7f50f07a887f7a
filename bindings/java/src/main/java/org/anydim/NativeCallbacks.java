// SPDX-License-Identifier: Apache-2.0
// Natives about callbacks, written by hand (bindings/java/native/callbacks.cpp): addresses of C functions that call Java, and what they
// call for.
package org.anydim;

final class NativeCallbacks {
  static {
    NativeLibrary.load();
  }

  private NativeCallbacks() {}

  /** The address of a log callback, which calls Log.line. */
  static native long logLine();

  /** The address of a parallel_for, which calls LoopCall.run. */
  static native long runLoop();

  /** The address of an allocate, which calls LentMemory.allocate. */
  static native long allocateMemory();

  /** The address of a release, which calls LentMemory.release. */
  static native long releaseMemory();

  /** The address of a progress, which calls Tuning.progress. */
  static native long tuningProgress();

  /** The address of a rule of shapes, which calls CustomCall.shapes. */
  static native long customShapes();

  /** The address of a kernel, which calls CustomCall.compute. */
  static native long customCompute();

  /** A node's version; its name, domain and operator go into the texts. */
  static native long customNode(long node, byte[][] texts);

  /** Null, long[], float[], byte[][], or the image of a tensor's view as the one entry of a long[][]. */
  static native @Nullable Object customAttribute(long node, byte[] name);

  static native byte[][] customAttributeNames(long node);

  /** The address of the finalizer of what is kept. */
  static native long finalizer();

  /** A callback's environment: keeps an object until the finalizer is called, or forget() is called. */
  static native long keep(Object target);

  static native void forget(long kept);

  static native void runPart(long part, long context, long index);
}
