// SPDX-License-Identifier: Apache-2.0
// Expand: checks and shape rule.
#include "core/ops/operators/expand.h"

#include "core/ops/check.h"
#include "core/ops/requirements.h"

namespace anydim {

namespace {
Status check_target(const SymDims& dims) {
  for (int i = 0; i < dims.rank; ++i)
    if (dims[i].is_number() && dims[i].number() < 0) return invalid("target dim {} is {}; expected at least 0", i, dims[i].number());
  return {};
}
}  // namespace

Status Expand::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 1, 1));
  ANYDIM_TRY(check_target(at_.dims));
  require_broadcast(pool, in[0].dims, at_.dims);
  SymDims dims;
  ANYDIM_TRY(broadcast_dims(pool, in[0].dims, at_.dims, &dims));
  out[0] = {in[0].dtype, dims};
  return {};
}

}  // namespace anydim
