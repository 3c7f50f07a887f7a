// SPDX-License-Identifier: Apache-2.0
// Pad: checks and shape rule.
#include "core/ops/pad.h"

#include "core/ops/check.h"

namespace anydim {

Result<OperatorPtr> Pad::make(Mode mode, const SymDims& before, const SymDims& after) {
  if (before.rank != after.rank)
    return invalid("pad has {} counts before and {} after; expected one of each per axis", before.rank, after.rank);
  auto p = std::shared_ptr<Pad>(new Pad);
  p->mode_ = mode;
  p->rank_ = before.rank;
  for (int i = 0; i < before.rank; ++i) {
    p->dims_[i] = before[i];
    p->dims_[before.rank + i] = after[i];
  }
  return OperatorPtr(std::move(p));
}

OperatorPtr Pad::with_dim_attributes(std::span<const Dim> dims) const {
  auto p = std::make_shared<Pad>(*this);
  for (int i = 0; i < 2 * rank_ && static_cast<size_t>(i) < dims.size(); ++i) p->dims_[i] = dims[static_cast<size_t>(i)];
  return p;
}

Status Pad::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 1, 2));
  ANYDIM_TRY(check_rank(in[0], 0, rank_, rank_));
  if (in.size() > 1 && in[1].dtype != DType::none) {
    if (in[1].dtype != in[0].dtype)
      return invalid("input 1 (pad value) has dtype {}; the data has {}", dtype_name(in[1].dtype), dtype_name(in[0].dtype));
    for (int i = 0; i < in[1].dims.rank; ++i)
      if (in[1].dims[i].is_number() && !in[1].dims[i].is(1))
        return invalid("input 1 (pad value) dim {} is {}; expected one element", i, in[1].dims[i].number());
  }
  SymDims dims;
  for (int i = 0; i < rank_; ++i) {
    const Dim d = in[0].dims[i], n = pool.add(pool.add(d, before(i)), after(i));
    if (n.is_number() && n.number() < 0) return invalid("pads of axis {} leave {} elements; expected at least 0", i, n.number());
    if (mode_ != Mode::constant && d.is(0) && n.is_number() && n.number() > 0)
      return invalid("input 0 dim {} is 0: there is nothing to {} pads from", i, mode_ == Mode::wrap ? "wrap" : "copy");
    dims.push_back(n);
  }
  out[0] = {in[0].dtype, dims};
  return {};
}

void Pad::attributes(AttributeSink& sink) const {
  constexpr const char* kModes[] = {"constant", "reflect", "edge", "wrap"};
  const auto n = static_cast<size_t>(rank_);
  sink.field("mode", kModes[static_cast<int>(mode_)]);
  sink.field("before", dim_attributes().first(n));
  sink.field("after", dim_attributes().last(n));
}

}  // namespace anydim
