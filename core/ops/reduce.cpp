// SPDX-License-Identifier: Apache-2.0
// Attributes and shape rule of reductions.
#include "core/ops/reduce.h"

namespace anydim {

const char* reduce_name(ReduceKind kind) noexcept {
  switch (kind) {
    case ReduceKind::sum: return "sum";
    case ReduceKind::mean: return "mean";
    case ReduceKind::sum_square: return "sum_square";
    case ReduceKind::l1: return "l1";
    case ReduceKind::l2: return "l2";
    case ReduceKind::prod: return "prod";
    case ReduceKind::log_sum: return "log_sum";
    case ReduceKind::log_sum_exp: return "log_sum_exp";
    case ReduceKind::max: return "max";
    case ReduceKind::min: return "min";
  }
  return "unknown";
}

Result<OperatorPtr> Reduce::make(ReduceKind kind, std::span<const int64_t> axes, bool keepdims) {
  if (kind > ReduceKind::min) return invalid("reduce: kind is {}; there is none with this number", static_cast<int>(kind));
  if (axes.size() > kMaxRank) return invalid("reduce: {} axes given; expected at most {}", axes.size(), kMaxRank);
  auto op = std::make_shared<Reduce>();
  op->reduction_ = kind;
  op->axes_ = RankArray<int64_t>(axes);
  op->keepdims_ = keepdims;
  return OperatorPtr(std::move(op));
}

Status Reduce::axis_mask(int rank, uint32_t* mask) const {
  *mask = 0;
  if (axes_.empty()) {
    *mask = (1u << rank) - 1;
    return {};
  }
  for (int64_t a : axes_) {
    int axis;
    ANYDIM_TRY(normalise_axis(a, rank, "reduce: axis", &axis));
    if (*mask >> axis & 1) return invalid("reduce: axis {} is given twice", axis);
    *mask |= 1u << axis;
  }
  return {};
}

Status Reduce::infer(DimPool&, std::span<const TensorType> in, std::span<TensorType> out) const {
  if (in.size() != 1 || in[0].dtype == DType::none)
    return invalid("reduce {}: {} inputs given; expected 1", reduce_name(reduction_), in.size());
  const bool order_only = reduction_ == ReduceKind::max || reduction_ == ReduceKind::min;
  if (in[0].dtype == DType::boolean && !order_only)
    return invalid("reduce {}: input has dtype bool; expected numbers", reduce_name(reduction_));
  const SymDims dims = in[0].dims;
  uint32_t mask;
  ANYDIM_TRY(axis_mask(dims.rank, &mask));
  out[0].dtype = in[0].dtype;
  out[0].dims = {};
  for (int i = 0; i < dims.rank; ++i) {
    if (!(mask >> i & 1)) out[0].dims.push_back(dims[i]);
    else if (keepdims_) out[0].dims.push_back(Dim(1));
  }
  return {};
}

void Reduce::attributes(AttributeSink& sink) const {
  sink.field("kind", reduce_name(reduction_));
  sink.field("axes", std::span<const int64_t>(axes_.begin(), axes_.end()));
  sink.field("keepdims", static_cast<int64_t>(keepdims_));
}

}  // namespace anydim
