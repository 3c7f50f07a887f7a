// SPDX-License-Identifier: Apache-2.0
// Promises about the dims of a model's inputs.
package org.anydim;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Promises about the dims of a model's inputs, by their names. A session with bounds gets all the memory that any shape within them needs
 * when it is made, and refuses others. Plain data: nothing to close.
 *
 * <pre>{@code
 * Bounds bounds = Bounds.of("x", Dim.of(1), Dim.of(3), Dim.of(48), Dim.dynamic(32, 1200));
 * }</pre>
 */
public final class Bounds {
  private final Map<String, Dim[]> ofInputs = new LinkedHashMap<>();

  private Bounds() {}

  /**
   * The bounds of one input.
   *
   * @param input its name
   * @param dims its dims, outermost first
   * @return the bounds
   */
  public static Bounds of(String input, Dim... dims) {
    return new Bounds().and(input, dims);
  }

  /**
   * These bounds with those of another input.
   *
   * @param input its name
   * @param dims its dims, outermost first
   * @return these bounds
   */
  public Bounds and(String input, Dim... dims) {
    ofInputs.put(input, dims.clone());
    return this;
  }

  /** A handle of the C API, which the caller destroys. */
  @Override
  public String toString() {
    return ofInputs.entrySet().stream().map(e -> e.getKey() + ": " + Arrays.toString(e.getValue())).collect(Collectors.joining(", ", "Bounds[", "]"));
  }

  long create() {
    long bounds = NativeCalls.boundsCreate();
    try {
      ofInputs.forEach((name, dims) -> NativeCalls.boundsSet(bounds, Utf8.of(name, "input"), Dim.images(dims)));
    } catch (Throwable failure) {
      NativeCalls.boundsDestroy(bounds);
      throw failure;
    }
    return bounds;
  }
}
