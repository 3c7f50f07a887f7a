// SPDX-License-Identifier: Apache-2.0
// What the kernels of tree ensembles share: the checks of a table of nodes, so that a walk ends and reads nothing that is not there, and
// what the trees' weights for a target become.
#pragma once

#include "core/kernels/kernel.h"
#include "core/ops/operators/tree_ensemble.h"

namespace anydim {

// A tensor's element at an index, at any address and in any strides.
template <class T> T element(const TensorView& t, int64_t i) noexcept { return read_unaligned(t.as<const T>() + i * t.strides[0]); }

struct TreeNode {
  int32_t mode, feature, when_true, when_false;
};
inline TreeNode tree_node(const TensorView& nodes, int64_t i) noexcept {
  const auto* p = nodes.as<const int32_t>() + i * nodes.strides[0];
  const int64_t step = nodes.strides[1];
  return {read_unaligned(p), read_unaligned(p + step), read_unaligned(p + 2 * step), read_unaligned(p + 3 * step)};
}

// Features of packed nodes have so many bits.
constexpr int kFeatureBits = 27;

// The sizes that a node's numbers must lie in.
struct TreeSizes {
  int64_t nodes, weights, features;
};
// A node leads to nodes behind it, a leaf to weights that exist.
Status check_node(const TreeNode& node, int64_t index, const TreeSizes& sizes) noexcept;
Status check_root(int64_t root, int64_t tree, int64_t nodes) noexcept;
Status check_target(int64_t target, int64_t weight, int64_t outputs) noexcept;

// One step of the sum, the minimum or the maximum; `seen` is whether the target has a weight already.
template <class T> void take_weight(TreeAggregate how, T weight, T* value, uint8_t* seen) noexcept {
  switch (how) {
    case TreeAggregate::sum:
    case TreeAggregate::average: *value += weight; break;
    case TreeAggregate::minimum: *value = *seen == 0 || weight < *value ? weight : *value; break;
    case TreeAggregate::maximum: *value = *seen == 0 || weight > *value ? weight : *value; break;
  }
  *seen = 1;
}
template <class T> T finished(TreeAggregate how, T value, int64_t trees, const T* base) noexcept {
  if (how == TreeAggregate::average) value /= static_cast<T>(trees);
  return base != nullptr ? value + *base : value;
}

}  // namespace anydim
