// SPDX-License-Identifier: Apache-2.0
// What a run gave.
package org.anydim;

import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.StringJoiner;

/**
 * The outputs of a run, in the order in which they were asked for. Their memory was placed by the library and is theirs; it outlives the
 * session. Closing the outputs closes each of the tensors.
 */
public final class Outputs implements AutoCloseable, Iterable<Tensor> {
  private final List<String> names;
  private final List<Tensor> tensors;

  Outputs(List<String> names, Tensor[] tensors) {
    this.names = names;
    this.tensors = Collections.unmodifiableList(Arrays.asList(tensors));
  }

  /**
   * An output by its place.
   *
   * @param index which, from 0
   * @return the tensor
   */
  public Tensor get(int index) {
    return tensors.get(index);
  }

  /**
   * An output by its name.
   *
   * @param name its name
   * @return the tensor
   * @throws NoSuchElementException if there is none of the name
   */
  public Tensor get(String name) {
    int index = names.indexOf(name);
    if (index < 0) {
      throw new NoSuchElementException("there is no output \"" + name + "\"; there are " + names);
    }
    return tensors.get(index);
  }

  /**
   * The names of the outputs.
   *
   * @return the names, in order; empty for those of a primitive
   */
  public List<String> names() {
    return names;
  }

  /**
   * The number of outputs.
   *
   * @return their number
   */
  public int size() {
    return tensors.size();
  }

  @Override
  public Iterator<Tensor> iterator() {
    return tensors.iterator();
  }

  @Override
  public String toString() {
    StringJoiner joined = new StringJoiner(", ", "Outputs[", "]");
    for (int i = 0; i < tensors.size(); ++i) {
      joined.add((i < names.size() ? names.get(i) + ": " : "") + tensors.get(i));
    }
    return joined.toString();
  }

  /** Closes each of the tensors. */
  @Override
  public void close() {
    for (Tensor t : tensors) {
      t.close();
    }
  }
}
