// SPDX-License-Identifier: Apache-2.0
// A dim of a descriptor or of bounds.
package org.anydim;

/**
 * A dim of a descriptor or of bounds: a number, or dynamic, with promises about the numbers that will come. A promise is checked with
 * each call; a hint orders choices and changes neither results nor bounds.
 */
public final class Dim {
  private static final long NONE = -1;

  private final long value;
  private final long min;
  private final long max;
  private final long hint;
  private final long multipleOf;

  private Dim(long value, long min, long max, long hint, long multipleOf) {
    this.value = value;
    this.min = min;
    this.max = max;
    this.hint = hint;
    this.multipleOf = multipleOf;
  }

  /**
   * A dim that is a number.
   *
   * @param value the number
   * @return the dim
   */
  public static Dim of(long value) {
    return new Dim(value, value, value, NONE, 1);
  }

  /**
   * A dim whose number comes with the tensor.
   *
   * @param min the smallest number, a promise
   * @param max the largest number, a promise
   * @return the dim
   */
  public static Dim dynamic(long min, long max) {
    return new Dim(NONE, min, max, NONE, 1);
  }

  /**
   * A dim of which nothing is promised.
   *
   * @return the dim
   */
  public static Dim dynamic() {
    return dynamic(0, Long.MAX_VALUE);
  }

  /**
   * The same dim with a likely number.
   *
   * @param hint the number
   * @return the dim
   */
  public Dim hint(long hint) {
    return new Dim(value, min, max, hint, multipleOf);
  }

  /**
   * The same dim with the promise that it is a multiple of a number.
   *
   * @param multipleOf the number, at least 1
   * @return the dim
   */
  public Dim multipleOf(long multipleOf) {
    return new Dim(value, min, max, hint, multipleOf);
  }

  /** The images of dims, one after the other. */
  static long[] images(Dim[] dims) {
    long[] image = new long[dims.length * NativeStructs.Dim.WORDS];
    for (int i = 0; i < dims.length; ++i) {
      int at = i * NativeStructs.Dim.WORDS;
      image[at + NativeStructs.Dim.VALUE] = dims[i].value;
      image[at + NativeStructs.Dim.MIN] = dims[i].min;
      image[at + NativeStructs.Dim.MAX] = dims[i].max;
      image[at + NativeStructs.Dim.HINT] = dims[i].hint;
      image[at + NativeStructs.Dim.MULTIPLE_OF] = dims[i].multipleOf;
    }
    return image;
  }

  @Override
  public String toString() {
    return value != NONE ? Long.toString(value) : min + ".." + (max == Long.MAX_VALUE ? "" : max);
  }
}
