// SPDX-License-Identifier: Apache-2.0
// Engines, and the streams in which their primitives execute.
package org.anydim;

import java.lang.ref.Cleaner;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A device with its kernels, and what primitives are made of: one method for each operator. Everything that is made from an engine keeps
 * it alive, so it may be closed before them. Any number of threads may use one.
 */
public final class Engine extends Operators implements AutoCloseable {
  private static final int CPU = 1;

  /** Options of an engine. */
  public static final class Options {
    private int threads;
    private ParallelLoop loop;
    private HostMemory memory;

    private Options() {}

    /**
     * Most threads that a call uses.
     *
     * @param threads their number; 0, the default, is all cores that this process may use
     * @return these options
     */
    public Options threads(int threads) {
      this.threads = threads;
      return this;
    }

    /**
     * The program's own loop, in place of the library's threads.
     *
     * @param loop the loop
     * @return these options
     */
    public Options parallelLoop(ParallelLoop loop) {
      this.loop = loop;
      return this;
    }

    /**
     * The program's own memory, in place of the system's.
     *
     * @param memory the memory
     * @return these options
     */
    public Options memory(HostMemory memory) {
      this.memory = memory;
      return this;
    }
  }

  /** The handle, and streams that nobody uses now. */
  private static final class Owner extends NativeObject {
    Owner(long value) {
      super("engine", value, NativeCalls::engineDestroy);
    }
  }

  /** Streams have one user at a time: who executes takes one that is free, or makes one. */
  private static final class Streams implements Runnable {
    private final ConcurrentLinkedDeque<Long> free = new ConcurrentLinkedDeque<>();
    private final AtomicLong closed = new AtomicLong();

    @Override
    public void run() {
      closed.set(1);
      for (Long stream = free.poll(); stream != null; stream = free.poll()) {
        NativeCalls.streamDestroy(stream);
      }
    }
  }

  private final Owner owner;
  private final Streams streams = new Streams();
  private final Cleaner.Cleanable cleanable;

  private Engine(Options options) {
    NativeStructs.EngineOptions raw = new NativeStructs.EngineOptions();
    raw.threads = options.threads;
    if (options.loop != null) {
      raw.parallelFor = NativeCallbacks.runLoop();
      raw.parallelUser = NativeCallbacks.keep(options.loop);
      raw.parallelFinalizer = NativeCallbacks.finalizer();
    }
    if (options.memory != null) {
      raw.allocate = NativeCallbacks.allocateMemory();
      raw.release = NativeCallbacks.releaseMemory();
      raw.memoryUser = NativeCallbacks.keep(new LentMemory(options.memory));
      raw.memoryFinalizer = NativeCallbacks.finalizer();
    }
    try {
      owner = new Owner(NativeCalls.engineCreate(CPU, 0, raw));
    } catch (Throwable failure) {
      for (long kept : new long[] {raw.parallelUser, raw.memoryUser}) {
        if (kept != 0) {
          NativeCallbacks.forget(kept);
        }
      }
      throw failure;
    }
    cleanable = Resource.CLEANER.register(this, streams);
  }

  /**
   * The processor, with all cores that this process may use.
   *
   * @return a new engine
   */
  public static Engine cpu() {
    return cpu(options());
  }

  /**
   * The processor.
   *
   * @param options the options
   * @return a new engine
   */
  public static Engine cpu(Options options) {
    NativeLibrary.load();
    return new Engine(options);
  }

  /**
   * Options with their defaults.
   *
   * @return new options
   */
  public static Options options() {
    return new Options();
  }

  /**
   * The version of the native library.
   *
   * @return the version, such as {@code 0.1.0}
   */
  public static String version() {
    return new String(NativeCalls.version(), StandardCharsets.US_ASCII);
  }

  /**
   * The name of the device.
   *
   * @return its name
   */
  public String device() {
    return owner.with(NativeCalls::engineQuery).device;
  }

  /**
   * The instruction set in use; the variable {@code ANYDIM_MAX_ISA} lowers it.
   *
   * @return its name
   */
  public String isa() {
    return owner.with(NativeCalls::engineQuery).isa;
  }

  /**
   * Most threads that calls use where nothing else is said.
   *
   * @return their number
   */
  public int threads() {
    return owner.with(NativeCalls::engineQuery).threads;
  }

  /**
   * The kernels of the registry.
   *
   * @return their names, in order of preference within each operator
   */
  public List<String> kernels() {
    return owner.with(
        engine -> {
          List<String> names = new ArrayList<>();
          int count = NativeCalls.engineQuery(engine).kernels;
          for (int i = 0; i < count; ++i) {
            names.add(NativeCalls.engineGetKernel(engine, i).name);
          }
          return names;
        });
  }

  @Override
  Engine engine() {
    return this;
  }

  NativeObject owner() {
    return owner;
  }

  /** A stream of its own for a call of a primitive, which holds the engine's handle and gives the stream back. */
  long takeStream() {
    Long stream = streams.free.poll();
    return stream != null ? stream : NativeCalls.streamCreate(owner.handle.value, new NativeStructs.StreamOptions());
  }

  void giveStream(long stream) {
    streams.free.push(stream);
    if (streams.closed.get() != 0) {
      streams.run();
    }
  }

  /** Closes the engine; what was made from it goes on working. Closing again does nothing. */
  @Override
  public void close() {
    owner.close();
    cleanable.clean();
  }
}
