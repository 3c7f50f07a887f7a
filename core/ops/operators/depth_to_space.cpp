// SPDX-License-Identifier: Apache-2.0
// DepthToSpace and its inverse: checks and shape rule.
#include "core/ops/operators/depth_to_space.h"

#include "core/ops/check.h"
#include "core/ops/requirements.h"

namespace anydim {

Status DepthToSpace::normalize(Attributes* a) {
  if (a->inverse && a->order != Order::depth_first) return invalid("space to depth has one order only, depth first");
  return {};
}

Status DepthToSpace::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 1, 1));
  ANYDIM_TRY(check_rank(in[0], 0, 4, 4));
  const SymDims& d = in[0].dims;
  if (at_.inverse) {
    for (int a = 2; a < 4; ++a) ANYDIM_TRY(require_multiple(pool, d[a], at_.block, "dim {}", a));
    out[0] = {in[0].dtype, {d[0], pool.mul(d[1], at_.block * at_.block), pool.floor_div(d[2], at_.block), pool.floor_div(d[3], at_.block)}};
  } else {
    ANYDIM_TRY(require_multiple(pool, d[1], at_.block * at_.block, "dim 1 (channels)"));
    out[0] = {in[0].dtype, {d[0], pool.floor_div(d[1], at_.block * at_.block), pool.mul(d[2], at_.block), pool.mul(d[3], at_.block)}};
  }
  return {};
}

}  // namespace anydim
