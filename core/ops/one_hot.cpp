// SPDX-License-Identifier: Apache-2.0
// OneHot: checks and shape rule.
#include "core/ops/one_hot.h"

#include "core/ops/check.h"
#include "core/tensor/dims.h"

namespace anydim {

Result<OperatorPtr> OneHot::make(int axis, Dim depth) {
  if (axis < 0 || axis >= kMaxRank) return invalid("one_hot axis is {}; expected 0 to {}", axis, kMaxRank - 1);
  return OperatorPtr(new OneHot(axis, depth));
}

OperatorPtr OneHot::with_dim_attributes(std::span<const Dim> dims) const {
  return OperatorPtr(new OneHot(axis_, dims.empty() ? depth_ : dims[0]));
}

Status OneHot::infer(DimPool&, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 2, 2));
  ANYDIM_TRY(check_rank(in[1], 1, 1, 1));
  ANYDIM_TRY(check_same_dim(in[1].dims[0], 2, 1, 0));
  SymDims dims = in[0].dims;
  if (axis_ > dims.rank) return invalid("input 0 has rank {}; one_hot axis is {}", dims.rank, axis_);
  if (dims.rank + 1 > kMaxRank) return unimplemented("one_hot to rank {}; expected at most {}", dims.rank + 1, kMaxRank);
  if (depth_.is_number() && depth_.number() < 0) return invalid("depth is {}; expected at least 0", depth_.number());
  dims.insert(axis_, depth_);
  out[0] = {in[1].dtype, dims};
  return {};
}

void OneHot::attributes(AttributeSink& sink) const {
  sink.field("axis", static_cast<int64_t>(axis_));
  sink.field("depth", dim_attributes());
}

}  // namespace anydim
