// SPDX-License-Identifier: Apache-2.0
// ShapeTensor: checks and shape rule.
#include "core/ops/shape_tensor.h"

#include "core/ops/check.h"

namespace anydim {

Result<OperatorPtr> ShapeTensor::make(std::vector<Dim> values, bool scalar, DType dtype) {
  if (scalar && values.size() != 1) return invalid("a scalar of {} values; expected 1", values.size());
  if (dtype == DType::none) return invalid("shape tensor of dtype none");
  auto s = std::shared_ptr<ShapeTensor>(new ShapeTensor);
  s->values_ = std::move(values);
  s->scalar_ = scalar;
  s->dtype_ = dtype;
  return OperatorPtr(std::move(s));
}

OperatorPtr ShapeTensor::with_dim_attributes(std::span<const Dim> dims) const {
  auto s = std::make_shared<ShapeTensor>(*this);
  s->values_.assign(dims.begin(), dims.end());
  return s;
}

Status ShapeTensor::infer(DimPool&, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 0, 0));
  out[0] = {dtype_, {}};
  if (!scalar_) out[0].dims.push_back(static_cast<int64_t>(values_.size()));
  return {};
}

void ShapeTensor::attributes(AttributeSink& sink) const {
  sink.field("dtype", dtype_name(dtype_));
  sink.field("scalar", static_cast<int64_t>(scalar_));
  sink.field("values", std::span<const Dim>(values_));
}

}  // namespace anydim
