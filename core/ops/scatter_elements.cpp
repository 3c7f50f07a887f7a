// SPDX-License-Identifier: Apache-2.0
// ScatterElements: checks and shape rule; the reductions' names.
#include "core/ops/scatter_elements.h"

#include "core/ops/check.h"
#include "core/tensor/dims.h"

namespace anydim {

const char* reduction_name(ScatterReduction r) noexcept {
  constexpr const char* kNames[] = {"none", "add", "mul", "min", "max"};
  return kNames[static_cast<int>(r)];
}

Result<OperatorPtr> ScatterElements::make(int axis, ScatterReduction reduction) {
  if (axis < 0 || axis >= kMaxRank) return invalid("scatter axis is {}; expected 0 to {}", axis, kMaxRank - 1);
  return OperatorPtr(new ScatterElements(axis, reduction));
}

Status ScatterElements::infer(DimPool&, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 3, 3));
  ANYDIM_TRY(check_index_dtype(in[1], 1));
  const SymDims &data = in[0].dims, &indices = in[1].dims, &updates = in[2].dims;
  if (in[2].dtype != in[0].dtype) return invalid("input 2 has dtype {}; input 0 has {}", dtype_name(in[2].dtype), dtype_name(in[0].dtype));
  if (axis_ >= data.rank) return invalid("input 0 has rank {}; scatter axis is {}", data.rank, axis_);
  ANYDIM_TRY(check_rank(in[1], 1, data.rank, data.rank));
  ANYDIM_TRY(check_rank(in[2], 2, data.rank, data.rank));
  for (int i = 0; i < data.rank; ++i) {
    ANYDIM_TRY(check_same_dim(updates[i], indices[i], 2, i));
    if (i != axis_ && data[i].is_number() && indices[i].is_number() && indices[i].number() > data[i].number())
      return invalid("input 1 dim {} is {}; the data has only {}", i, indices[i].number(), data[i].number());
  }
  out[0] = in[0];
  return {};
}

void ScatterElements::attributes(AttributeSink& sink) const {
  sink.field("axis", static_cast<int64_t>(axis_));
  sink.field("reduction", reduction_name(reduction_));
}

}  // namespace anydim
