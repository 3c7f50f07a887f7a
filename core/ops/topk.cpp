// SPDX-License-Identifier: Apache-2.0
// TopK: checks and shape rule.
#include "core/ops/topk.h"

#include "core/ops/check.h"
#include "core/tensor/dims.h"

namespace anydim {

Result<OperatorPtr> TopK::make(const Attributes& a) {
  if (a.axis < 0 || a.axis >= kMaxRank) return invalid("topk axis is {}; expected 0 to {}", a.axis, kMaxRank - 1);
  return OperatorPtr(new TopK(a));
}

OperatorPtr TopK::with_dim_attributes(std::span<const Dim> dims) const {
  auto t = std::make_shared<TopK>(*this);
  if (!dims.empty()) t->at_.k = dims[0];
  return t;
}

Status TopK::infer(DimPool&, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 1, 1));
  SymDims dims = in[0].dims;
  if (at_.axis >= dims.rank) return invalid("input 0 has rank {}; topk axis is {}", dims.rank, at_.axis);
  const Dim d = dims[at_.axis];
  if (at_.k.is_number() && (at_.k.number() < 0 || (d.is_number() && at_.k.number() > d.number())))
    return d.is_number() ? invalid("k is {}; expected 0 to {}", at_.k.number(), d.number())
                         : invalid("k is {}; expected at least 0", at_.k.number());
  dims[at_.axis] = at_.k;
  out[0] = {in[0].dtype, dims};
  out[1] = {DType::i64, dims};
  return {};
}

void TopK::attributes(AttributeSink& sink) const {
  sink.field("axis", static_cast<int64_t>(at_.axis));
  sink.field("k", dim_attributes());
  sink.field("largest", static_cast<int64_t>(at_.largest));
  sink.field("sorted", static_cast<int64_t>(at_.sorted));
}

}  // namespace anydim
