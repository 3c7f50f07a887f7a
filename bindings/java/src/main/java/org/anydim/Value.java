// SPDX-License-Identifier: Apache-2.0
// Inputs and outputs as a model's file declares them: tensors, strings, sequences, maps, optionals.
package org.anydim;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * What a model's file declares as an input or output: a tensor of numbers, a tensor of strings, a sequence, maps, or nothing, for an optional
 * that is absent. {@link Session#runValues} takes and returns these.
 *
 * <pre>{@code
 * try (Values y = session.runValues(Map.of("city", Value.ofStrings("Oslo", "Lima")))) {
 *   String[] countries = y.get("country").strings();
 * }
 * }</pre>
 */
public final class Value implements AutoCloseable {
  /** What a value is. */
  public enum Kind {
    /** A tensor of numbers: {@link Value#tensor()}. */
    TENSOR,
    /** A tensor of strings: {@link Value#strings()} and {@link Value#dims()}. */
    STRINGS,
    /** A sequence of values: {@link Value#elements()}. */
    SEQUENCE,
    /** Maps from a number or text to a number or text: {@link Value#maps()}. */
    MAPS,
    /** An optional that is absent. */
    NONE
  }

  private final Kind kind;
  private final Object content;
  private final long[] dims;

  private Value(Kind kind, Object content, long... dims) {
    this.kind = kind;
    this.content = content;
    this.dims = dims;
  }

  /**
   * A tensor of numbers.
   *
   * @param tensor the tensor, which the value closes with itself
   * @return the value
   */
  public static Value of(Tensor tensor) {
    return new Value(Kind.TENSOR, tensor, tensor.dims());
  }

  /**
   * A vector of strings.
   *
   * @param texts the strings
   * @return the value
   */
  public static Value ofStrings(String... texts) {
    return ofStrings(texts, new long[] {texts.length});
  }

  /**
   * A tensor of strings.
   *
   * @param texts the strings in row-major order
   * @param dims the dims, outermost first
   * @return the value
   * @throws AnydimException.InvalidArgument for another number of strings than the dims say
   */
  public static Value ofStrings(String[] texts, long... dims) {
    if (TensorData.count(DType.I64, dims) != texts.length) {
      throw AnydimException.invalid("texts has " + texts.length + " elements; dims are " + Arrays.toString(dims));
    }
    return new Value(Kind.STRINGS, texts.clone(), dims.clone());
  }

  /**
   * A sequence.
   *
   * @param elements its elements, which the value closes with itself
   * @return the value
   */
  public static Value ofSequence(List<Value> elements) {
    return new Value(Kind.SEQUENCE, List.copyOf(elements));
  }

  /**
   * A map. Its keys are {@link Long} or {@link String}, its values {@link Number} or {@link String}.
   *
   * @param map the map
   * @return the value
   */
  public static Value ofMap(Map<?, ?> map) {
    return ofMaps(List.of(map));
  }

  static Value ofMaps(List<? extends Map<?, ?>> maps) {
    return new Value(Kind.MAPS, List.copyOf(maps));
  }

  /**
   * An optional that is absent.
   *
   * @return the value
   */
  public static Value none() {
    return new Value(Kind.NONE, "none");
  }

  /**
   * What it is.
   *
   * @return its kind
   */
  public Kind kind() {
    return kind;
  }

  private Object of(Kind expected) {
    if (kind != expected) {
      throw AnydimException.invalid("the value is " + kind + "; expected " + expected);
    }
    return content;
  }

  /**
   * The tensor of {@link Kind#TENSOR}.
   *
   * @return the tensor
   */
  public Tensor tensor() {
    return (Tensor) of(Kind.TENSOR);
  }

  /**
   * The strings of {@link Kind#STRINGS} in row-major order.
   *
   * @return a new array of them
   */
  public String[] strings() {
    return ((String[]) of(Kind.STRINGS)).clone();
  }

  /**
   * The dims of a tensor of numbers or strings, outermost first.
   *
   * @return a new array of them; empty for other kinds
   */
  public long[] dims() {
    return dims.clone();
  }

  /**
   * The elements of {@link Kind#SEQUENCE}.
   *
   * @return the elements
   */
  @SuppressWarnings("unchecked")
  public List<Value> elements() {
    return (List<Value>) of(Kind.SEQUENCE);
  }

  /**
   * The maps of {@link Kind#MAPS}. Those of an output have a map for each row, with keys that are {@link Long} or {@link String} and values
   * that are {@link Float}.
   *
   * @return the maps
   */
  @SuppressWarnings("unchecked")
  public List<Map<Object, Object>> maps() {
    return (List<Map<Object, Object>>) of(Kind.MAPS);
  }

  /** Closes the tensors in it. */
  @Override
  public void close() {
    if (kind == Kind.TENSOR) {
      tensor().close();
    } else if (kind == Kind.SEQUENCE) {
      elements().forEach(Value::close);
    }
  }

  @Override
  public String toString() {
    switch (kind) {
      case STRINGS:
        return "STRING" + Arrays.toString(dims) + Arrays.toString((String[]) content);
      default:
        return content.toString();
    }
  }
}
