// SPDX-License-Identifier: Apache-2.0
// Post-ops of primitives.
package org.anydim;

/** A step after an operator: a function of each element of the output, or of it and an element of a further tensor. */
public final class PostOp {
  private final @Nullable UnaryFunction unary;
  private final @Nullable BinaryFunction binary;
  private final float alpha;
  private final float beta;
  private final boolean reversed;

  private PostOp(@Nullable UnaryFunction unary, @Nullable BinaryFunction binary, float alpha, float beta, boolean reversed) {
    this.unary = unary;
    this.binary = binary;
    this.alpha = alpha;
    this.beta = beta;
    this.reversed = reversed;
  }

  /**
   * A function of each element.
   *
   * @param function the function
   * @return the post-op
   */
  public static PostOp of(UnaryFunction function) {
    return of(function, 0, 0);
  }

  /**
   * A function of each element, with parameters.
   *
   * @param function the function
   * @param alpha its first parameter
   * @param beta its second parameter
   * @return the post-op
   */
  public static PostOp of(UnaryFunction function, float alpha, float beta) {
    return new PostOp(function, null, alpha, beta, false);
  }

  /**
   * y = function(y, t), with a tensor t that comes with each call, behind the operator's inputs.
   *
   * @param function the function
   * @return the post-op
   */
  public static PostOp of(BinaryFunction function) {
    return new PostOp(null, function, 0, 0, false);
  }

  /**
   * y = function(t, y), with a tensor t that comes with each call, behind the operator's inputs.
   *
   * @param function the function
   * @return the post-op
   */
  public static PostOp reversed(BinaryFunction function) {
    return new PostOp(null, function, 0, 0, true);
  }

  /**
   * Negative numbers become 0.
   *
   * @return the post-op
   */
  public static PostOp relu() {
    return of(UnaryFunction.RELU);
  }

  /**
   * Numbers are kept between two.
   *
   * @param low the smallest
   * @param high the largest
   * @return the post-op
   */
  public static PostOp clip(float low, float high) {
    return of(UnaryFunction.CLIP, low, high);
  }

  @Override
  public String toString() {
    return unary != null ? unary + "(" + alpha + ", " + beta + ")" : (reversed ? "reversed " : "") + binary;
  }

  void append(long attr) {
    if (unary != null) {
      NativeCalls.attrAppendEltwise(attr, unary.number(), alpha, beta);
    } else {
      NativeCalls.attrAppendBinary(attr, binary.number(), reversed ? 1 : 0);
    }
  }
}
