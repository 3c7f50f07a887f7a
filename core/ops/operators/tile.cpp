// SPDX-License-Identifier: Apache-2.0
// Tile: checks and shape rule.
#include "core/ops/operators/tile.h"

#include "core/ops/check.h"

namespace anydim {

Status Tile::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 1, 1));
  ANYDIM_TRY(check_rank(in[0], 0, at_.repeats.rank, at_.repeats.rank));
  SymDims dims;
  for (int i = 0; i < at_.repeats.rank; ++i) {
    if (at_.repeats[i].is_number() && at_.repeats[i].number() < 0)
      return invalid("repeats[{}] is {}; expected at least 0", i, at_.repeats[i].number());
    int64_t n = 0;
    if (at_.repeats[i].is_number() && in[0].dims[i].is_number() && !checked_mul(at_.repeats[i].number(), in[0].dims[i].number(), &n))
      return invalid("dim {} of {} times {} overflows", i, in[0].dims[i].number(), at_.repeats[i].number());
    dims.push_back(pool.mul(in[0].dims[i], at_.repeats[i]));
  }
  out[0] = {in[0].dtype, dims};
  return {};
}

}  // namespace anydim
