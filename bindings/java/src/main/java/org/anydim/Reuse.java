// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
package org.anydim;

/**
 * Whether kernels and plans are reusable or specialised. It changes time, never results. Set on a primitive or
 * model, on a context, for the process and for the build; the nearest that is not inherit wins. docs/reuse.md helps
 * to choose.
 */
public enum Reuse {
  /** Not set here: the context's, else the process's (ANYDIM_REUSE), else the build's, which is auto. The default. */
  INHERIT(0),

  /** Reusable kernels with a plan from the cost model or from records; nothing is measured on the CPU engine. */
  AUTO(1),

  /** Reusable kernels with the cost model's plan, and never anything else. */
  REUSABLE(2),

  /**
   * Measures plans before creation returns: a primitive for its dims (hints or maxima of dynamic ones), a context
   * for its bounds. Shapes met later run reusable.
   */
  SPECIALISED(3),

  /** As auto, and the background worker measures plans for the shapes that calls bring. */
  REUSABLE_FIRST(4);

  private static final Reuse[] NUMBERED = values();

  private final int number;

  Reuse(int number) {
    this.number = number;
  }

  /** The number that the C API has for it. */
  int number() {
    return number;
  }

  static Reuse of(int number) {
    for (Reuse value : NUMBERED) {
      if (value.number == number) {
        return value;
      }
    }
    throw new AssertionError("Reuse has no number " + number);
  }
}
