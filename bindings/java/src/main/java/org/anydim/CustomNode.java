// SPDX-License-Identifier: Apache-2.0
// A node whose operator is the program's: its names and attributes, which are the library's and are asked for during a call.
package org.anydim;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.LongFunction;

/**
 * A node that a {@link CustomOperator} computes, for the length of a call; its methods fail with an {@link IllegalStateException} after
 * that. An attribute that the model does not set is null here, as is one of another type: the operator then has its default.
 */
public final class CustomNode {
  private final byte[][] texts = new byte[3][];
  private final long version;
  private long address;

  CustomNode(long address) {
    this.address = address;
    version = NativeCallbacks.customNode(address, texts);
  }

  /** The call has ended. */
  synchronized void end() {
    address = 0;
  }

  private synchronized <T> T ask(LongFunction<T> question) {
    if (address == 0) {
      throw new IllegalStateException("the call that this node was given for has ended");
    }
    return question.apply(address);
  }

  private @Nullable Object attribute(String name) {
    return ask(node -> NativeCallbacks.customAttribute(node, Utf8.of(name, "name")));
  }

  private static String text(byte[] utf8) {
    return new String(utf8, StandardCharsets.UTF_8);
  }

  /**
   * Its name in the model.
   *
   * @return the name
   */
  public String name() {
    return text(texts[0]);
  }

  /**
   * The domain of its operator.
   *
   * @return the domain; empty for ONNX's own
   */
  public String domain() {
    return text(texts[1]);
  }

  /**
   * The operator's name.
   *
   * @return the name
   */
  public String opType() {
    return text(texts[2]);
  }

  /**
   * The version of the operator's domain that the model imports.
   *
   * @return the version
   */
  public long version() {
    return version;
  }

  /**
   * The names of the attributes that the model sets.
   *
   * @return the names
   */
  public List<String> attributes() {
    List<String> names = new ArrayList<>();
    for (byte[] name : ask(NativeCallbacks::customAttributeNames)) {
      names.add(text(name));
    }
    return Collections.unmodifiableList(names);
  }

  /**
   * Whole numbers of an attribute, one or a list.
   *
   * @param name its name
   * @return a new array of them; null if the model does not set it, or sets one of another type
   */
  public long @Nullable [] integers(String name) {
    Object found = attribute(name);
    return found instanceof long[] ? (long[]) found : null;
  }

  /**
   * Floats of an attribute, one or a list.
   *
   * @param name its name
   * @return a new array of them; null if the model does not set it, or sets one of another type
   */
  public float @Nullable [] reals(String name) {
    Object found = attribute(name);
    return found instanceof float[] ? (float[]) found : null;
  }

  /**
   * Texts of an attribute, one or a list.
   *
   * @param name its name
   * @return the texts; null if the model does not set it, or sets one of another type
   */
  public @Nullable List<String> texts(String name) {
    Object found = attribute(name);
    if (!(found instanceof byte[][])) {
      return null;
    }
    List<String> all = new ArrayList<>();
    for (byte[] one : (byte[][]) found) {
      all.add(text(one));
    }
    return Collections.unmodifiableList(all);
  }

  /**
   * A copy of an attribute that is a tensor.
   *
   * @param name its name
   * @return the tensor, which the caller closes; null if the model does not set it, or sets one of another type
   */
  public @Nullable Tensor tensor(String name) {
    return ask(
        node -> {
          Object found = NativeCallbacks.customAttribute(node, Utf8.of(name, "name"));
          if (!(found instanceof long[][])) {
            return null;
          }
          long[] view = ((long[][]) found)[0];
          long[] dims = NativeStructs.dims(view, NativeStructs.View.DIMS);
          return Tensor.copyOfView(view, DType.of((int) view[NativeStructs.View.DTYPE]), dims);
        });
  }

  /**
   * A whole number.
   *
   * @param name its name
   * @param otherwise what it is if the model does not set it
   * @return the number
   */
  public long integer(String name, long otherwise) {
    long[] found = integers(name);
    return found == null || found.length == 0 ? otherwise : found[0];
  }

  /**
   * A float.
   *
   * @param name its name
   * @param otherwise what it is if the model does not set it
   * @return the number
   */
  public float real(String name, float otherwise) {
    float[] found = reals(name);
    return found == null || found.length == 0 ? otherwise : found[0];
  }

  /**
   * A text.
   *
   * @param name its name
   * @param otherwise what it is if the model does not set it
   * @return the text
   */
  public String text(String name, String otherwise) {
    List<String> found = texts(name);
    return found == null || found.isEmpty() ? otherwise : found.get(0);
  }

  @Override
  public String toString() {
    return opType() + " " + name();
  }
}
