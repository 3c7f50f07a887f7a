// SPDX-License-Identifier: Apache-2.0
// GridSample: shape rule and work.
#include "core/ops/operators/grid_sample.h"

#include <cmath>

#include "core/ops/check.h"
#include "core/ops/requirements.h"

namespace anydim {

Status GridSample::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 2, 2).at("grid_sample"));
  ANYDIM_TRY(check_rank(in[0], 0, 3, 5).at("grid_sample: x"));
  const int rank = in[0].dims.rank;
  ANYDIM_TRY(check_rank(in[1], 1, rank, rank).at("grid_sample: grid"));
  if (!dtype_is_float(in[1].dtype)) return invalid("grid_sample: grid has dtype {}; expected a float", dtype_name(in[1].dtype));
  if (at_.mode != Mode::nearest && !dtype_is_float(in[0].dtype))
    return unimplemented("grid_sample: x has dtype {}; expected a float, but for mode nearest", dtype_name(in[0].dtype));
  ANYDIM_TRY(check_same_dim(in[1].dims[0], in[0].dims[0], 1, 0).at("grid_sample: batches of grid and x"));
  ANYDIM_TRY(check_same_dim(in[1].dims[rank - 1], rank - 2, 1, rank - 1).at("grid_sample: coordinates in grid"));
  ANYDIM_TRY(require_equal(pool, in[1].dims[0], in[0].dims[0], "batches of grid and input"));
  ANYDIM_TRY(require_equal(pool, in[1].dims[rank - 1], rank - 2, "coordinates in the grid"));
  SymDims dims{in[0].dims[0], in[0].dims[1]};
  for (int i = 1; i + 1 < rank; ++i) dims.push_back(in[1].dims[i]);
  out[0] = {in[0].dtype, dims};
  return {};
}

Work GridSample::work(std::span<const Dims> in, std::span<const Dims> out) const noexcept {
  if (out.empty()) return work_per_element(in, out);
  const int taps = at_.mode == GridSampleMode::nearest ? 1 : at_.mode == GridSampleMode::linear ? 2 : 4;
  return {-1, count_of(out[0]) * std::pow(taps, out[0].rank - 2)};
}

}  // namespace anydim
