// SPDX-License-Identifier: Apache-2.0
// What a run of values gave.
package org.anydim;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NoSuchElementException;

/** The outputs of a run as the model's file declares them, by their names. Closing them closes the tensors in them. */
public final class Values implements AutoCloseable {
  private final Map<String, Value> values;

  Values(LinkedHashMap<String, Value> values) {
    this.values = Collections.unmodifiableMap(values);
  }

  /**
   * An output by its name.
   *
   * @param name its name
   * @return the value
   * @throws NoSuchElementException if there is none of the name
   */
  public Value get(String name) {
    Value found = values.get(name);
    if (found == null) {
      throw new NoSuchElementException("there is no output \"" + name + "\"; there are " + values.keySet());
    }
    return found;
  }

  /**
   * All outputs, in the order in which they were asked for.
   *
   * @return the values by their names
   */
  public Map<String, Value> asMap() {
    return values;
  }

  /** Closes each of the values. */
  @Override
  public void close() {
    values.values().forEach(Value::close);
  }

  @Override
  public String toString() {
    return values.toString();
  }
}
