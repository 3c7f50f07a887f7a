// SPDX-License-Identifier: Apache-2.0
// Tile: checks and shape rule.
#include "core/ops/tile.h"

#include "core/ops/check.h"

namespace anydim {

Result<OperatorPtr> Tile::make(const SymDims& repeats) { return OperatorPtr(new Tile(repeats)); }

OperatorPtr Tile::with_dim_attributes(std::span<const Dim> dims) const { return OperatorPtr(new Tile(SymDims{dims})); }

Status Tile::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 1, 1));
  ANYDIM_TRY(check_rank(in[0], 0, repeats_.rank, repeats_.rank));
  SymDims dims;
  for (int i = 0; i < repeats_.rank; ++i) {
    if (repeats_[i].is_number() && repeats_[i].number() < 0)
      return invalid("repeats[{}] is {}; expected at least 0", i, repeats_[i].number());
    int64_t n = 0;
    if (repeats_[i].is_number() && in[0].dims[i].is_number() && !checked_mul(repeats_[i].number(), in[0].dims[i].number(), &n))
      return invalid("dim {} of {} times {} overflows", i, in[0].dims[i].number(), repeats_[i].number());
    dims.push_back(pool.mul(in[0].dims[i], repeats_[i]));
  }
  out[0] = {in[0].dtype, dims};
  return {};
}

void Tile::attributes(AttributeSink& sink) const { sink.field("repeats", dim_attributes()); }

}  // namespace anydim
