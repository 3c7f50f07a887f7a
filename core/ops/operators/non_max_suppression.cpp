// SPDX-License-Identifier: Apache-2.0
// NonMaxSuppression: shape rule, work, and which data makes sense.
#include "core/ops/operators/non_max_suppression.h"

#include "core/ops/check.h"
#include "core/ops/requirements.h"

namespace anydim {

Status NonMaxSuppression::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 3, 5).at("non_max_suppression"));
  for (size_t i = 0; i < 2; ++i) {
    ANYDIM_TRY(check_rank(in[i], static_cast<int>(i), 3, 3).at("non_max_suppression"));
    if (in[i].dtype != DType::f32) return invalid("non_max_suppression: input {} has dtype {}; expected f32", i, dtype_name(in[i].dtype));
  }
  for (size_t i = kMostBoxes; i < in.size(); ++i) {
    if (in[i].dtype == DType::none) continue;
    const DType wanted = i == kMostBoxes ? DType::i64 : DType::f32;
    if (in[i].dtype != wanted)
      return invalid("non_max_suppression: input {} has dtype {}; expected {}", i, dtype_name(in[i].dtype), dtype_name(wanted));
    for (const Dim d : in[i].dims)
      if (d.is_number() && !d.is(1))
        return invalid("non_max_suppression: input {} has dims {}; expected one element", i, pool.text(in[i].dims));
    ANYDIM_TRY(require_count(pool, in[i].dims, {}, "a threshold's elements"));
  }
  const SymDims &boxes = in[kBoxes].dims, &scores = in[kScores].dims;
  ANYDIM_TRY(check_same_dim(scores[0], boxes[0], 1, 0).at("non_max_suppression"));
  ANYDIM_TRY(check_same_dim(scores[2], boxes[1], 1, 2).at("non_max_suppression"));
  ANYDIM_TRY(check_same_dim(boxes[2], 4, 0, 2).at("non_max_suppression"));
  ANYDIM_TRY(require_equal(pool, scores[0], boxes[0], "batches of boxes and scores"));
  ANYDIM_TRY(require_equal(pool, scores[2], boxes[1], "boxes and scores"));
  ANYDIM_TRY(require_equal(pool, boxes[2], 4, "numbers of a box"));
  out[kSelected] = {DType::i64, {pool.mul(pool.mul(scores[0], scores[1]), at_.most), 3}};
  out[kCount] = {DType::i64, {}};
  return {};
}

ValueRange NonMaxSuppression::sensible_values(std::span<const Dims> in, size_t input) const noexcept {
  return input == kMostBoxes ? ValueRange{1, in[kBoxes][1] > 1 ? in[kBoxes][1] : 1} : ValueRange();
}

Work NonMaxSuppression::work(std::span<const Dims> in, std::span<const Dims>) const noexcept {
  return {-1, in.size() < 2 ? 0 : 8 * count_of(in[kScores])};
}

}  // namespace anydim
