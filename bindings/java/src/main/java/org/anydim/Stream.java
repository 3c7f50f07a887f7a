// SPDX-License-Identifier: Apache-2.0
// Streams, for programs that say themselves in which order work is done.
package org.anydim;

import java.util.function.LongConsumer;

/**
 * An order of execution on an engine, with the scratch memory that its primitives use. Sessions, contexts and primitives need none; a
 * program that gives work to a stream itself keeps the order of that work, and says how many threads it takes.
 *
 * <p>One thread at a time uses a stream; another one's call fails with {@link Status#BUSY}. The processor has done all of a call
 * when it returns.
 *
 * <pre>{@code
 * try (Stream stream = Stream.of(cpu, 1)) {
 *   first.submit(stream, new Tensor[] {x}, new Tensor[] {y});
 *   second.submit(stream, new Tensor[] {y}, new Tensor[] {z});
 *   stream.waitFor();
 * }
 * }</pre>
 */
public final class Stream extends NativeObject {
  private Stream(long value, LongConsumer destroy) {
    super("stream", value, destroy);
  }

  /**
   * A stream of an engine.
   *
   * @param engine the engine, which the stream keeps alive
   * @param threads most threads that a primitive uses in it; 0: the engine's
   * @return the stream
   * @throws AnydimException {@link Status#INVALID_ARGUMENT} for a number of threads outside 0..256
   */
  public static Stream of(Engine engine, int threads) {
    NativeStructs.StreamOptions options = new NativeStructs.StreamOptions();
    options.threads = threads;
    return new Stream(engine.owner().number(e -> NativeCalls.streamCreate(e, options)), NativeCalls::streamDestroy);
  }

  /**
   * Waits until everything that the stream was given is done.
   *
   * @throws AnydimException what was found wrong after the call that gave it, {@link Status#BUSY}, {@link Status#CLOSED}
   */
  public void waitFor() {
    with(
        stream -> {
          NativeCalls.streamWait(stream);
          return null;
        });
  }
}
