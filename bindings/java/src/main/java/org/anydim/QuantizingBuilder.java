// SPDX-License-Identifier: Apache-2.0
// What builders of operators that take 8-bit operands have beside the others.
package org.anydim;

/**
 * Builds a primitive of an operator that takes scales and zero points: of operands of 8 bits they say which real numbers the elements stand
 * for, scale * (element - zero point).
 *
 * @param <T> the builder itself
 */
public abstract class QuantizingBuilder<T extends QuantizingBuilder<T>> extends OperatorBuilder<T> {
  private static final int ALL = -1;

  QuantizingBuilder(Engine engine, String kind, OperatorImage image, Operand... operands) {
    super(engine, kind, image, operands);
  }

  /**
   * The scale of an operand.
   *
   * @param operand the operand
   * @param scale the scale
   * @return this builder
   */
  public T scale(QuantizedOperand operand, float scale) {
    return scales(operand, ALL, scale);
  }

  /**
   * Scales of an operand along an axis.
   *
   * @param operand the operand
   * @param axis the axis along which they differ, or -1 for one scale
   * @param scales the scales; none: a tensor of them comes with each call, behind those of post-ops
   * @return this builder
   */
  public T scales(QuantizedOperand operand, int axis, float... scales) {
    float[] own = scales.clone();
    return attribute(attr -> NativeCalls.attrSetScales(attr, operand.number(), axis, own));
  }

  /**
   * The zero point of an operand.
   *
   * @param operand the operand
   * @param zeroPoint the number that stands for zero
   * @return this builder
   */
  public T zeroPoint(QuantizedOperand operand, int zeroPoint) {
    return zeroPoints(operand, ALL, zeroPoint);
  }

  /**
   * Zero points of an operand along an axis.
   *
   * @param operand the operand
   * @param axis the axis along which they differ, or -1 for one
   * @param zeroPoints the numbers that stand for zero; none: a tensor of them comes with each call, behind the scales
   * @return this builder
   */
  public T zeroPoints(QuantizedOperand operand, int axis, int... zeroPoints) {
    int[] own = zeroPoints.clone();
    return attribute(attr -> NativeCalls.attrSetZeroPoints(attr, operand.number(), axis, own));
  }

  /**
   * The element type of the result.
   *
   * @param dtype the element type
   * @return this builder
   */
  public T resultType(DType dtype) {
    return attribute(attr -> NativeCalls.attrSetDtype(attr, dtype.number()));
  }
}
