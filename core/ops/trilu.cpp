// SPDX-License-Identifier: Apache-2.0
// Trilu: shape rule.
#include "core/ops/trilu.h"

#include "core/ops/check.h"
#include "core/tensor/dims.h"

namespace anydim {

Result<OperatorPtr> Trilu::make(bool upper, Dim k) { return OperatorPtr(new Trilu(upper, k)); }

OperatorPtr Trilu::with_dim_attributes(std::span<const Dim> dims) const {
  return OperatorPtr(new Trilu(upper_, dims.empty() ? k_ : dims[0]));
}

Status Trilu::infer(DimPool&, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 1, 1));
  ANYDIM_TRY(check_rank(in[0], 0, 2, kMaxRank));
  out[0] = in[0];
  return {};
}

void Trilu::attributes(AttributeSink& sink) const {
  sink.field("upper", static_cast<int64_t>(upper_));
  sink.field("k", dim_attributes());
}

}  // namespace anydim
