// SPDX-License-Identifier: Apache-2.0
// Attributes and shape rule of the index of the largest or smallest element.
#include "core/ops/arg_reduce.h"

namespace anydim {

Result<OperatorPtr> ArgReduce::make(bool max, int64_t axis, bool keepdims, bool select_last) {
  auto op = std::make_shared<ArgReduce>();
  op->max_ = max;
  op->axis_ = axis;
  op->keepdims_ = keepdims;
  op->select_last_ = select_last;
  return OperatorPtr(std::move(op));
}

Status ArgReduce::infer(DimPool&, std::span<const TensorType> in, std::span<TensorType> out) const {
  if (in.size() != 1 || in[0].dtype == DType::none) return invalid("arg_reduce: {} inputs given; expected 1", in.size());
  const SymDims dims = in[0].dims;
  int axis;
  ANYDIM_TRY(normalise_axis(axis_, dims.rank, "arg_reduce: axis", &axis));
  if (dims[axis].is(0)) return invalid("arg_reduce: axis {} has size 0; there is no largest or smallest element", axis);
  out[0] = {DType::i64, dims};
  if (keepdims_) out[0].dims[axis] = Dim(1);
  else out[0].dims.erase(axis);
  return {};
}

void ArgReduce::attributes(AttributeSink& sink) const {
  sink.field("kind", max_ ? "max" : "min");
  sink.field("axis", axis_);
  sink.field("keepdims", static_cast<int64_t>(keepdims_));
  sink.field("select_last", static_cast<int64_t>(select_last_));
}

}  // namespace anydim
