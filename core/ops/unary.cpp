// SPDX-License-Identifier: Apache-2.0
// Attributes, dtypes and shape rule of the element-wise operator of one input.
#include "core/ops/unary.h"

namespace anydim {

DType unary_dtype(UnaryFunction f, DType t) noexcept {
  const bool is_float = dtype_is_float(t), is_bool = t == DType::boolean;
  switch (f) {
    case UnaryFunction::identity: return t;
    case UnaryFunction::logical_not: return is_bool ? t : DType::none;
    case UnaryFunction::bitwise_not: return is_float || is_bool ? DType::none : t;
    case UnaryFunction::is_nan:
    case UnaryFunction::is_inf: return is_float ? DType::boolean : DType::none;
    case UnaryFunction::relu:
    case UnaryFunction::abs:
    case UnaryFunction::neg:
    case UnaryFunction::sign:
    case UnaryFunction::square: return is_bool ? DType::none : t;
    default: return is_float ? t : DType::none;
  }
}

Result<OperatorPtr> Unary::make(UnaryFunction f, float alpha, float beta) {
  if (f >= UnaryFunction::count_) return invalid("unary: function is {}; there is none with this number", static_cast<int>(f));
  auto op = std::make_shared<Unary>();
  op->function_ = f;
  const int n = parameter_count(f);
  op->alpha_ = n >= 1 ? alpha : 0.f;
  op->beta_ = n >= 2 ? beta : 0.f;
  return OperatorPtr(std::move(op));
}

Status Unary::infer(DimPool&, std::span<const TensorType> in, std::span<TensorType> out) const {
  if (in.size() != 1 || in[0].dtype == DType::none) return invalid("{}: {} inputs given; expected 1", function_name(function_), in.size());
  const DType dtype = unary_dtype(function_, in[0].dtype);
  if (dtype == DType::none)
    return invalid("{}: input has dtype {}; the function is not defined on it", function_name(function_), dtype_name(in[0].dtype));
  out[0] = {dtype, in[0].dims};
  return {};
}

void Unary::attributes(AttributeSink& sink) const {
  sink.field("function", function_name(function_));
  const int n = parameter_count(function_);
  if (n >= 1) sink.field("alpha", static_cast<double>(alpha_));
  if (n >= 2) sink.field("beta", static_cast<double>(beta_));
}

}  // namespace anydim
