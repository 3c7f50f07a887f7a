// SPDX-License-Identifier: Apache-2.0
// Names of the scalar functions and how many parameters each reads.
#include "core/ops/scalar_functions.h"

namespace anydim {

const char* function_name(UnaryFunction f) noexcept {
  static constexpr const char* kNames[] = {"identity",     "relu",
                                           "leaky_relu",   "clip",
                                           "hard_sigmoid", "hard_swish",
                                           "sigmoid",      "silu",
                                           "tanh",         "exp",
                                           "log",          "sqrt",
                                           "reciprocal",   "abs",
                                           "neg",          "square",
                                           "erf",          "gelu_erf",
                                           "gelu_tanh",    "softplus",
                                           "softsign",     "mish",
                                           "elu",          "selu",
                                           "celu",         "thresholded_relu",
                                           "shrink",       "floor",
                                           "ceil",         "round_even",
                                           "sign",         "sin",
                                           "cos",          "tan",
                                           "asin",         "acos",
                                           "atan",         "sinh",
                                           "cosh",         "asinh",
                                           "acosh",        "atanh",
                                           "affine",       "logical_not",
                                           "bitwise_not",  "is_nan",
                                           "is_inf",       "quick_gelu"};
  static_assert(sizeof(kNames) / sizeof(*kNames) == static_cast<unsigned>(UnaryFunction::count_));
  return f < UnaryFunction::count_ ? kNames[static_cast<unsigned>(f)] : "unknown";
}

const char* function_name(BinaryFunction f) noexcept {
  static constexpr const char* kNames[] = {"add",         "sub",        "mul",           "div",         "min",        "max",
                                           "pow",         "prelu",      "mod_floor",     "mod_trunc",   "equal",      "less",
                                           "less_equal",  "greater",    "greater_equal", "logical_and", "logical_or", "logical_xor",
                                           "bitwise_and", "bitwise_or", "bitwise_xor",   "shift_left",  "shift_right"};
  static_assert(sizeof(kNames) / sizeof(*kNames) == static_cast<unsigned>(BinaryFunction::count_));
  return f < BinaryFunction::count_ ? kNames[static_cast<unsigned>(f)] : "unknown";
}

int parameter_count(UnaryFunction f) noexcept {
  switch (f) {
    case UnaryFunction::clip:
    case UnaryFunction::hard_sigmoid:
    case UnaryFunction::selu:
    case UnaryFunction::shrink:
    case UnaryFunction::affine:
    case UnaryFunction::is_inf: return 2;
    case UnaryFunction::leaky_relu:
    case UnaryFunction::elu:
    case UnaryFunction::celu:
    case UnaryFunction::thresholded_relu:
    case UnaryFunction::quick_gelu: return 1;
    default: return 0;
  }
}

}  // namespace anydim
