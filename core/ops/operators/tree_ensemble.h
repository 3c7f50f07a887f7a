// SPDX-License-Identifier: Apache-2.0
// TreeEnsemble: decision trees over the features of each row, whose leaves have weights for targets (ONNX TreeEnsemble, TreeEnsembleClassifier and TreeEnsembleRegressor).
// Inputs: x rows, features; splits nodes; nodes nodes, 4; roots trees; targets weights; weights weights; base outputs (optional).
// Output: rows, outputs.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class TreeEnsemble final : public Described<TreeEnsemble, TreeEnsembleAttributes> {
 public:
  using Described::Described;
  enum Input { kX, kSplits, kNodes, kRoots, kTargets, kWeights, kBase };
  // The table of nodes has a row of four numbers for each.
  enum Column { kMode, kFeature, kTrue, kFalse, kColumns, kFirstWeight = kTrue, kWeightCount = kFalse };
  enum Mode { kLeaf, kLessEqual, kLess, kGreaterEqual, kGreater, kEqual, kNotEqual, kModes, kNanIsTrue = 8 };
  static constexpr bool is_mode(int32_t mode) noexcept {
    return mode == kLeaf || ((mode & ~kNanIsTrue) > kLeaf && (mode & ~kNanIsTrue) < kModes);
  }
  ValueRange sensible_values(std::span<const Dims> in, size_t input) const noexcept override;
  Work work(std::span<const Dims> in, std::span<const Dims> out) const noexcept override;
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
};

}  // namespace anydim
