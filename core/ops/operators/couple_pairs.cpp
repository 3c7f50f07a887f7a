// SPDX-License-Identifier: Apache-2.0
// CouplePairs: shape rule and work.
#include "core/ops/operators/couple_pairs.h"

#include "core/ops/check.h"
#include "core/ops/requirements.h"

namespace anydim {

Status CouplePairs::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 1, 1).at("couple_pairs"));
  ANYDIM_TRY(check_rank(in[0], 0, 1, kMaxRank).at("couple_pairs"));
  if (in[0].dtype != DType::f32 && in[0].dtype != DType::f64)
    return invalid("couple_pairs: input 0 has dtype {}; expected f32 or f64", dtype_name(in[0].dtype));
  SymDims dims = in[0].dims;
  Dim& last = dims[dims.rank - 1];
  const int64_t pairs = at_.classes * (at_.classes - 1) / 2;
  ANYDIM_TRY(check_same_dim(last, pairs, 0, dims.rank - 1).at("couple_pairs"));
  ANYDIM_TRY(require_equal(pool, last, pairs, "pairs of classes"));
  last = at_.classes;
  out[0] = {in[0].dtype, dims};
  return {};
}

// A few rounds of classes * classes steps.
Work CouplePairs::work(std::span<const Dims>, std::span<const Dims> out) const noexcept {
  return {-1, out.empty() ? 0 : 20 * count_of(out[0]) * static_cast<double>(at_.classes)};
}

}  // namespace anydim
