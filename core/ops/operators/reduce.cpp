// SPDX-License-Identifier: Apache-2.0
// Attributes and shape rule of reductions.
#include "core/ops/operators/reduce.h"

namespace anydim {

Result<OperatorPtr> Reduce::make(ReduceKind kind, std::span<const int64_t> axes, bool keepdims) {
  if (axes.size() > kMaxRank) return invalid("reduce: {} axes given; expected at most {}", axes.size(), kMaxRank);
  return make(Attributes{kind, keepdims, RankArray<int64_t>(axes)});
}

Status Reduce::axis_mask(int rank, uint32_t* mask) const {
  *mask = 0;
  if (at_.axes.empty()) {
    *mask = (1u << rank) - 1;
    return {};
  }
  for (int64_t a : at_.axes) {
    int axis;
    ANYDIM_TRY(normalise_axis(a, rank, "reduce: axis", &axis));
    if (*mask >> axis & 1) return invalid("reduce: axis {} is given twice", axis);
    *mask |= 1u << axis;
  }
  return {};
}

Status Reduce::infer(DimPool&, std::span<const TensorType> in, std::span<TensorType> out) const {
  if (in.size() != 1 || in[0].dtype == DType::none) return invalid("reduce {}: {} inputs given; expected 1", word_of(at_.kind), in.size());
  const bool order_only = at_.kind == ReduceKind::max || at_.kind == ReduceKind::min;
  if (in[0].dtype == DType::boolean && !order_only) return invalid("reduce {}: input has dtype bool; expected numbers", word_of(at_.kind));
  const SymDims dims = in[0].dims;
  uint32_t mask;
  ANYDIM_TRY(axis_mask(dims.rank, &mask));
  out[0].dtype = in[0].dtype;
  out[0].dims = {};
  for (int i = 0; i < dims.rank; ++i) {
    if (!(mask >> i & 1)) out[0].dims.push_back(dims[i]);
    else if (at_.keepdims) out[0].dims.push_back(Dim(1));
  }
  return {};
}

}  // namespace anydim
