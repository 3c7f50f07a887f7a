// SPDX-License-Identifier: Apache-2.0
// Names of the functions that act on single elements. What each computes, to the bit, is in docs/numerics.md and
// core/kernels/eltwise/functions.h; ONNX's definitions decide the mathematics.
#pragma once

#include <cstdint>

namespace anydim {

enum class UnaryFunction : uint8_t {
  identity,
  relu,          // x < 0 ? 0 : x
  leaky_relu,    // x < 0 ? alpha * x : x
  clip,          // min(max(x, alpha), beta)
  hard_sigmoid,  // clip(alpha * x + beta, 0, 1)
  hard_swish,    // x * clip(x / 6 + 1/2, 0, 1)
  sigmoid,
  silu,
  tanh,
  exp,
  log,
  sqrt,
  reciprocal,
  abs,
  neg,
  square,
  erf,
  gelu_erf,
  gelu_tanh,
  softplus,
  softsign,
  mish,
  elu,
  selu,
  celu,
  thresholded_relu,
  shrink,
  floor,
  ceil,
  round_even,
  sign,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  asinh,
  acosh,
  atanh,
  affine,  // alpha * x + beta, one fused multiply-add
  logical_not,
  bitwise_not,
  is_nan,
  is_inf,      // is_inf: alpha != 0 detects +inf, beta != 0 detects -inf
  quick_gelu,  // x * sigmoid(alpha * x)
  count_,
};

enum class BinaryFunction : uint8_t {
  add,
  sub,
  mul,
  div,
  min,
  max,
  pow,
  prelu,  // a < 0 ? b * a : a
  mod_floor,
  mod_trunc,
  equal,
  less,
  less_equal,
  greater,
  greater_equal,  // to boolean
  logical_and,
  logical_or,
  logical_xor,
  bitwise_and,
  bitwise_or,
  bitwise_xor,
  shift_left,
  shift_right,
  count_,
};

const char* function_name(UnaryFunction f) noexcept;
const char* function_name(BinaryFunction f) noexcept;

// How many of alpha and beta a function reads: 0, 1 (alpha) or 2.
int parameter_count(UnaryFunction f) noexcept;

// Comparisons answer boolean whatever the operands' dtype.
constexpr bool is_comparison(BinaryFunction f) noexcept { return f >= BinaryFunction::equal && f <= BinaryFunction::greater_equal; }

}  // namespace anydim
