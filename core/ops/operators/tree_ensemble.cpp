// SPDX-License-Identifier: Apache-2.0
// TreeEnsemble: shape rule, work, and which data makes sense.
#include "core/ops/operators/tree_ensemble.h"

#include <cmath>

#include "core/ops/check.h"
#include "core/ops/requirements.h"

namespace anydim {

Status TreeEnsemble::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, kBase, kBase + 1).at("tree_ensemble"));
  const DType t = in[kX].dtype;
  if (t != DType::f32 && t != DType::f64) return invalid("tree_ensemble: input 0 has dtype {}; expected f32 or f64", dtype_name(t));
  for (size_t i = 0; i < in.size(); ++i) {
    if (in[i].dtype == DType::none) continue;
    const bool indices = i == kNodes || i == kRoots || i == kTargets;
    if (const DType wanted = indices ? DType::i32 : t; in[i].dtype != wanted)
      return invalid("tree_ensemble: input {} has dtype {}; expected {}", i, dtype_name(in[i].dtype), dtype_name(wanted));
    const int rank = i == kX || i == kNodes ? 2 : 1;
    ANYDIM_TRY(check_rank(in[i], static_cast<int>(i), rank, rank).at("tree_ensemble"));
  }
  const auto agree = [&](size_t input, int axis, Dim expected, const char* what) -> Status {
    ANYDIM_TRY(check_same_dim(in[input].dims[axis], expected, static_cast<int>(input), axis).at("tree_ensemble"));
    return require_equal(pool, in[input].dims[axis], expected, "{}", what);
  };
  ANYDIM_TRY(agree(kNodes, 0, in[kSplits].dims[0], "nodes and splits"));
  ANYDIM_TRY(agree(kNodes, 1, int64_t{kColumns}, "numbers of a node"));
  ANYDIM_TRY(agree(kTargets, 0, in[kWeights].dims[0], "targets and weights"));
  if (in.size() > kBase && in[kBase].dtype != DType::none) ANYDIM_TRY(agree(kBase, 0, at_.outputs, "elements of base"));
  out[0] = {t, {in[kX].dims[0], at_.outputs}};
  return {};
}

// Zeros make leaves without weights. Children lie behind their parents, which no range says.
ValueRange TreeEnsemble::sensible_values(std::span<const Dims> in, size_t input) const noexcept {
  if (input == kRoots) return index_into(in[kSplits][0]);
  if (input == kTargets) return index_into(at_.outputs);
  return input == kNodes ? ValueRange{0, 0} : ValueRange();
}

// A walk is about as long as the logarithm of a tree's nodes, half of which are leaves.
Work TreeEnsemble::work(std::span<const Dims> in, std::span<const Dims>) const noexcept {
  if (in.size() <= kRoots) return {};
  const double trees = count_of(in[kRoots]), nodes = count_of(in[kSplits]);
  const double depth = trees > 0 && nodes > trees ? 2 * std::log2(nodes / trees) : 1;
  return {-1, static_cast<double>(in[kX][0]) * trees * depth};
}

}  // namespace anydim
