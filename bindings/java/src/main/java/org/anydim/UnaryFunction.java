// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
package org.anydim;

/** Functions of one element; alpha and beta are parameters where the text names them. docs/numerics.md has the bits. */
public enum UnaryFunction {
  /** x */
  IDENTITY(0),

  /** x &lt; 0 ? 0 : x */
  RELU(1),

  /** x &lt; 0 ? alpha * x : x */
  LEAKY_RELU(2),

  /** min(max(x, alpha), beta) */
  CLIP(3),

  /** clip(alpha * x + beta, 0, 1) */
  HARD_SIGMOID(4),

  /** x * clip(x / 6 + 1/2, 0, 1) */
  HARD_SWISH(5),

  /** 1 / (1 + exp(-x)) */
  SIGMOID(6),

  /** x * sigmoid(x) */
  SILU(7),

  /** tanh(x) */
  TANH(8),

  /** exp(x) */
  EXP(9),

  /** natural log(x) */
  LOG(10),

  /** sqrt(x) */
  SQRT(11),

  /** 1 / x */
  RECIPROCAL(12),

  /** |x| */
  ABS(13),

  /** -x */
  NEG(14),

  /** x * x */
  SQUARE(15),

  /** erf(x) */
  ERF(16),

  /** x * (1 + erf(x / sqrt(2))) / 2 */
  GELU_ERF(17),

  /** GELU by its tanh approximation */
  GELU_TANH(18),

  /** log(1 + exp(x)) */
  SOFTPLUS(19),

  /** x / (1 + |x|) */
  SOFTSIGN(20),

  /** x * tanh(softplus(x)) */
  MISH(21),

  /** x &lt; 0 ? alpha * (exp(x) - 1) : x */
  ELU(22),

  /** beta * (x &lt; 0 ? alpha * (exp(x) - 1) : x) */
  SELU(23),

  /** max(0, x) + min(0, alpha * (exp(x / alpha) - 1)) */
  CELU(24),

  /** x &gt; alpha ? x : 0 */
  THRESHOLDED_RELU(25),

  /** x &lt; -alpha ? x + beta : x &gt; alpha ? x - beta : 0 */
  SHRINK(26),

  /** largest integer not above x */
  FLOOR(27),

  /** smallest integer not below x */
  CEIL(28),

  /** nearest integer, ties to even */
  ROUND_EVEN(29),

  /** -1, 0 or 1 */
  SIGN(30),

  /** sin(x) */
  SIN(31),

  /** cos(x) */
  COS(32),

  /** tan(x) */
  TAN(33),

  /** asin(x) */
  ASIN(34),

  /** acos(x) */
  ACOS(35),

  /** atan(x) */
  ATAN(36),

  /** sinh(x) */
  SINH(37),

  /** cosh(x) */
  COSH(38),

  /** asinh(x) */
  ASINH(39),

  /** acosh(x) */
  ACOSH(40),

  /** atanh(x) */
  ATANH(41),

  /** alpha * x + beta, rounded once */
  AFFINE(42),

  /** not x (bool) */
  LOGICAL_NOT(43),

  /** all bits of x flipped (integers) */
  BITWISE_NOT(44),

  /** x is NaN (to bool) */
  IS_NAN(45),

  /** x is infinite (to bool); alpha != 0 finds +inf, beta != 0 finds -inf */
  IS_INF(46),

  /** x * sigmoid(alpha * x) */
  QUICK_GELU(47),

  /** x rounded to the nearest float16, ties to even (no float64) */
  ROUND_F16(48),

  /** x rounded to the nearest bfloat16, ties to even (no float64) */
  ROUND_BF16(49),

  /** alpha * tanh(beta * x) */
  SCALED_TANH(50);

  private static final UnaryFunction[] NUMBERED = values();

  private final int number;

  UnaryFunction(int number) {
    this.number = number;
  }

  /** The number that the C API has for it. */
  int number() {
    return number;
  }

  static UnaryFunction of(int number) {
    for (UnaryFunction value : NUMBERED) {
      if (value.number == number) {
        return value;
      }
    }
    throw new AssertionError("UnaryFunction has no number " + number);
  }
}
