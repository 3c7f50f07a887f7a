// SPDX-License-Identifier: Apache-2.0
// Attributes and shape rule of the index of the largest or smallest element.
#include "core/ops/operators/arg_reduce.h"

#include "core/ops/requirements.h"

namespace anydim {

Status ArgReduce::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  if (in.size() != 1 || in[0].dtype == DType::none) return invalid("arg_reduce: {} inputs given; expected 1", in.size());
  const SymDims dims = in[0].dims;
  int axis;
  ANYDIM_TRY(normalise_axis(at_.axis, dims.rank, "arg_reduce: axis", &axis));
  if (dims[axis].is(0)) return invalid("arg_reduce: axis {} has size 0; there is no largest or smallest element", axis);
  ANYDIM_TRY(require_at_most(pool, 1, dims[axis], "size of the axis"));
  out[0] = {DType::i64, dims};
  if (at_.keepdims) out[0].dims[axis] = Dim(1);
  else out[0].dims.erase(axis);
  return {};
}

}  // namespace anydim
