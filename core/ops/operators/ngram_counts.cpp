// SPDX-License-Identifier: Apache-2.0
// NgramCounts: shape rule, and which data makes sense.
#include "core/ops/operators/ngram_counts.h"

#include "core/ops/check.h"
#include "core/ops/requirements.h"

namespace anydim {

Status NgramCounts::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 4, 4).at("ngram_counts"));
  for (size_t i = 0; i < 4; ++i)
    if (in[i].dtype != DType::i64) return invalid("ngram_counts: input {} has dtype {}; expected i64", i, dtype_name(in[i].dtype));
  ANYDIM_TRY(check_rank(in[kX], kX, 1, 2).at("ngram_counts"));
  ANYDIM_TRY(check_rank(in[kPool], kPool, 2, 2).at("ngram_counts"));
  for (const int i : {static_cast<int>(kLengths), static_cast<int>(kColumns)}) {
    ANYDIM_TRY(check_rank(in[static_cast<size_t>(i)], i, 1, 1).at("ngram_counts"));
    ANYDIM_TRY(check_same_dim(in[static_cast<size_t>(i)].dims[0], in[kPool].dims[0], i, 0).at("ngram_counts"));
    ANYDIM_TRY(require_equal(pool, in[static_cast<size_t>(i)].dims[0], in[kPool].dims[0], "n-grams"));
  }
  out[0] = {DType::f32, {}};
  if (in[kX].dims.rank == 2) out[0].dims.push_back(in[kX].dims[0]);
  out[0].dims.push_back(at_.outputs);
  return {};
}

ValueRange NgramCounts::sensible_values(std::span<const Dims> in, size_t input) const noexcept {
  switch (input) {
    case kLengths: return {1, in[kPool].rank == 2 && in[kPool][1] > 1 ? in[kPool][1] : 1};
    case kColumns: return {0, at_.outputs - 1};
    default: return {0, 3};
  }
}

Work NgramCounts::work(std::span<const Dims> in, std::span<const Dims>) const noexcept {
  if (in.size() < 2 || in[kPool].rank != 2) return {-1, 0};
  return {-1, count_of(in[kX]) * static_cast<double>(in[kPool][1]) * static_cast<double>(at_.max_skip + 1) * 8};
}

}  // namespace anydim
