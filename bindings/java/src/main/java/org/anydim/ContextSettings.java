// SPDX-License-Identifier: Apache-2.0
// What options of contexts and of sessions, which have contexts, ask for alike.
package org.anydim;

abstract class ContextSettings<Own extends ContextSettings<Own>> {
  private final NativeStructs.ContextOptions raw = new NativeStructs.ContextOptions();
  private Bounds bounds;

  ContextSettings() {}

  abstract Own own();

  /**
   * Most threads that a run uses.
   *
   * @param threads their number; 0, the default, is the engine's
   * @return these options
   */
  public Own threads(int threads) {
    raw.threads = threads;
    return own();
  }

  /**
   * Promises about the dims of inputs: contexts get all their memory when they are made.
   *
   * @param bounds the bounds
   * @return these options
   */
  public Own bounds(Bounds bounds) {
    this.bounds = bounds;
    return own();
  }

  /**
   * The reuse policy of nodes that were not given one with the model.
   *
   * @param policy the policy
   * @return these options
   */
  public Own reuse(Reuse policy) {
    raw.reuse = policy.number();
    return own();
  }

  /**
   * Measures the time of each node in each run, for explaining.
   *
   * @param profile whether to measure
   * @return these options
   */
  public Own profile(boolean profile) {
    raw.profile = profile ? 1 : 0;
    return own();
  }

  /**
   * How long contexts with the policy {@link Reuse#SPECIALISED} measure before their creation returns.
   *
   * @param milliseconds the most milliseconds; 0, the default, is 10,000
   * @return these options
   */
  public Own tuningMilliseconds(int milliseconds) {
    raw.tuningMs = milliseconds;
    return own();
  }

  /** What is made of the bounds, which are 0 if there are none, and of the other settings. */
  interface Call {
    long make(long bounds, NativeStructs.ContextOptions options);
  }

  final long with(Call call) {
    NativeStructs.ContextOptions own = new NativeStructs.ContextOptions();
    own.threads = raw.threads;
    own.reuse = raw.reuse;
    own.profile = raw.profile;
    own.tuningMs = raw.tuningMs;
    long made = bounds == null ? 0 : bounds.create();
    try {
      return call.make(made, own);
    } finally {
      NativeCalls.boundsDestroy(made);
    }
  }
}
