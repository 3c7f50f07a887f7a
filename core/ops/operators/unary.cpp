// SPDX-License-Identifier: Apache-2.0
// Attributes, dtypes and shape rule of the element-wise operator of one input.
#include "core/ops/operators/unary.h"

namespace anydim {

DType unary_dtype(UnaryFunction f, DType t) noexcept {
  const bool is_float = dtype_is_float(t), is_bool = t == DType::boolean;
  switch (f) {
    case UnaryFunction::identity: return t;
    case UnaryFunction::logical_not: return is_bool ? t : DType::none;
    case UnaryFunction::bitwise_not: return is_float || is_bool ? DType::none : t;
    case UnaryFunction::is_nan:
    case UnaryFunction::is_inf: return is_float ? DType::boolean : DType::none;
    case UnaryFunction::round_f16:
    case UnaryFunction::round_bf16: return is_float && t != DType::f64 ? t : DType::none;
    case UnaryFunction::relu:
    case UnaryFunction::abs:
    case UnaryFunction::neg:
    case UnaryFunction::sign:
    case UnaryFunction::square:
    case UnaryFunction::clip: return is_bool ? DType::none : t;
    default: return is_float ? t : DType::none;
  }
}

Status Unary::normalize(Attributes* a) {
  const int n = parameter_count(a->function);
  if (n < 1) a->alpha = 0.f;
  if (n < 2) a->beta = 0.f;
  return {};
}

Status Unary::infer(DimPool&, std::span<const TensorType> in, std::span<TensorType> out) const {
  if (in.size() != 1 || in[0].dtype == DType::none)
    return invalid("{}: {} inputs given; expected 1", function_name(at_.function), in.size());
  const DType dtype = unary_dtype(at_.function, in[0].dtype);
  if (dtype == DType::none)
    return invalid("{}: input has dtype {}; the function is not defined on it", function_name(at_.function), dtype_name(in[0].dtype));
  out[0] = {dtype, in[0].dims};
  return {};
}

}  // namespace anydim
