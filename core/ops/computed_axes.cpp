// SPDX-License-Identifier: Apache-2.0
// Which operators compute along an axis that keeps its size; see computed_axes.h.
#include "core/ops/computed_axes.h"

#include "core/ops/operators/layer_norm.h"
#include "core/ops/operators/softmax.h"
#include "core/ops/operators/topk.h"

namespace anydim {

ComputedAxes computed_axes(const Operator& op, int rank) noexcept {
  const auto one = [&](int64_t axis) -> ComputedAxes {
    const int first = static_cast<int>(axis < 0 ? axis + rank : axis);
    return {first, first + 1};
  };
  if (const auto* softmax = as<Softmax>(op)) return one(softmax->get().axis);
  if (const auto* topk = as<TopK>(op)) return one(topk->get().axis);
  if (const auto* norm = as<LayerNorm>(op)) return {one(norm->get().axis).first, rank};
  return {};
}

}  // namespace anydim
