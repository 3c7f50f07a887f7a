// SPDX-License-Identifier: Apache-2.0
// DepthToSpace and its inverse: checks and shape rule.
#include "core/ops/depth_to_space.h"

#include "core/ops/check.h"

namespace anydim {

Result<OperatorPtr> DepthToSpace::make(int64_t block, Order order, bool inverse) {
  if (block < 1 || block > (1 << 20)) return invalid("block size is {}; expected at least 1", block);
  if (inverse && order != Order::depth_first) return invalid("space to depth has one order only, depth first");
  return OperatorPtr(new DepthToSpace(block, order, inverse));
}

Status DepthToSpace::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 1, 1));
  ANYDIM_TRY(check_rank(in[0], 0, 4, 4));
  const SymDims& d = in[0].dims;
  auto divisible = [](Dim v, int64_t by, int axis) -> Status {
    if (v.is_number() && v.number() % by != 0) return invalid("input 0 dim {} is {}; expected a multiple of {}", axis, v.number(), by);
    return {};
  };
  if (inverse_) {
    ANYDIM_TRY(divisible(d[2], block_, 2));
    ANYDIM_TRY(divisible(d[3], block_, 3));
    out[0] = {in[0].dtype, {d[0], pool.mul(d[1], block_ * block_), pool.floor_div(d[2], block_), pool.floor_div(d[3], block_)}};
  } else {
    ANYDIM_TRY(divisible(d[1], block_ * block_, 1));
    out[0] = {in[0].dtype, {d[0], pool.floor_div(d[1], block_ * block_), pool.mul(d[2], block_), pool.mul(d[3], block_)}};
  }
  return {};
}

void DepthToSpace::attributes(AttributeSink& sink) const {
  sink.field("block", block_);
  sink.field("order", order_ == Order::depth_first ? "depth_first" : "column_first");
  sink.field("inverse", static_cast<int64_t>(inverse_));
}

}  // namespace anydim
