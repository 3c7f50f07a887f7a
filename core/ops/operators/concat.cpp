// SPDX-License-Identifier: Apache-2.0
// Concat: checks and shape rule.
#include "core/ops/operators/concat.h"

#include "core/ops/check.h"
#include "core/ops/requirements.h"
#include "core/tensor/dims.h"

namespace anydim {

Status Concat::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, in.empty() ? 1 : in.size(), in.empty() ? 1 : in.size()));
  SymDims dims = in[0].dims;
  if (axis() >= dims.rank) return invalid("input 0 has rank {}; concat axis is {}", dims.rank, axis());
  for (size_t i = 1; i < in.size(); ++i)
    for (int a = 0; a < dims.rank && in[i].dims.rank == dims.rank; ++a)
      if (a != axis()) {
        ANYDIM_TRY(check_same_dim(in[i].dims[a], in[0].dims[a], static_cast<int>(i), a));
        ANYDIM_TRY(require_equal(pool, in[0].dims[a], in[i].dims[a], "axis {} of its inputs", a));
      }
  for (size_t i = 1; i < in.size(); ++i) {
    const auto index = static_cast<int>(i);
    if (in[i].dtype != in[0].dtype)
      return invalid("input {} has dtype {}; input 0 has {}", i, dtype_name(in[i].dtype), dtype_name(in[0].dtype));
    ANYDIM_TRY(check_rank(in[i], index, dims.rank, dims.rank));
    for (int a = 0; a < dims.rank; ++a) {
      if (a == axis()) {
        dims[a] = pool.add(dims[a], in[i].dims[a]);
        continue;
      }
      ANYDIM_TRY(check_same_dim(in[i].dims[a], dims[a], index, a));
      if (in[i].dims[a].is_number()) dims[a] = in[i].dims[a];  // the plainest of equal dims
    }
  }
  out[0] = {in[0].dtype, dims};
  return {};
}

}  // namespace anydim
