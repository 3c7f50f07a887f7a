// SPDX-License-Identifier: Apache-2.0
// Attributes and shape rule of softmax.
#include "core/ops/softmax.h"

namespace anydim {

Result<OperatorPtr> Softmax::make(int64_t axis, bool log) {
  auto op = std::make_shared<Softmax>();
  op->axis_ = axis;
  op->log_ = log;
  return OperatorPtr(std::move(op));
}

Status Softmax::infer(DimPool&, std::span<const TensorType> in, std::span<TensorType> out) const {
  if (in.size() != 1) return invalid("softmax: {} inputs given; expected 1", in.size());
  if (!dtype_is_float(in[0].dtype)) return invalid("softmax: input has dtype {}; expected a float", dtype_name(in[0].dtype));
  int axis;
  ANYDIM_TRY(normalise_axis(axis_, in[0].dims.rank, "softmax: axis", &axis));
  out[0] = in[0];
  return {};
}

void Softmax::attributes(AttributeSink& sink) const {
  sink.field("axis", axis_);
  sink.field("log", static_cast<int64_t>(log_));
}

}  // namespace anydim
