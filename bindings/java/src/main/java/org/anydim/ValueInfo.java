// SPDX-License-Identifier: Apache-2.0
// What a model says of an input or output.
package org.anydim;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** An input or output of a model. */
public final class ValueInfo {
  private final NativeStructs.ValueInfo info;

  ValueInfo(NativeStructs.ValueInfo info) {
    this.info = info;
  }

  /**
   * Its name.
   *
   * @return its name
   */
  public String name() {
    return info.name;
  }

  /**
   * Its element type.
   *
   * @return its element type
   */
  public DType dtype() {
    return DType.of(info.dtype);
  }

  /**
   * Its dims, outermost first.
   *
   * @return a new array of them; -1 where dynamic
   */
  public long[] dims() {
    return info.dims.clone();
  }

  /**
   * The smallest value of each dim.
   *
   * @return a new array of them
   */
  public long[] min() {
    return info.min.clone();
  }

  /**
   * The largest value of each dim.
   *
   * @return a new array of them; 2^62 where there is no bound
   */
  public long[] max() {
    return info.max.clone();
  }

  /**
   * Each dim as text: a number, a symbol (height) or an expression of symbols.
   *
   * @return the texts
   */
  public List<String> symbols() {
    return Collections.unmodifiableList(Arrays.asList(info.symbols).subList(0, info.dims.length));
  }

  @Override
  public String toString() {
    return name() + ": " + dtype() + symbols();
  }
}
