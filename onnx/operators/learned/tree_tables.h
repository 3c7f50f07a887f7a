// SPDX-License-Identifier: Apache-2.0
// Trees as a model writes them, nodes in any order with references to each other, and the tables of the operator TreeEnsemble that they
// become (core/ops/operators/tree_ensemble.h). trees.cpp reads the former from ONNX nodes; what the tables compute is the operator's.
#pragma once

#include <cstdint>
#include <vector>

#include "core/ops/operators/tree_ensemble.h"

namespace anydim::onnx {

struct LeafWeight {
  int64_t target = 0;
  double value = 0;
};

// A node, which refers to others by their indices in TreeModel::nodes.
struct TreeModelNode {
  int mode = TreeEnsemble::kLeaf;  // TreeEnsemble::Mode
  bool nan_is_true = false;
  int64_t feature = 0;
  double split = 0;
  std::vector<double> members;  // of a node that tests for a set (is_member): true if the feature is one of these
  bool is_member = false;       // mode and split mean nothing then
  size_t when_true = 0, when_false = 0;
  std::vector<LeafWeight> weights;  // of a leaf
  int64_t id = 0, tree = 0;         // for messages
};

struct TreeModel {
  std::vector<TreeModelNode> nodes;
  std::vector<size_t> roots;
  int64_t outputs = 1;
};

// The operator's constant inputs; `nodes` has TreeEnsemble::kColumns numbers for each node.
struct TreeTables {
  std::vector<double> splits, weights;
  std::vector<int32_t> nodes, roots, targets;
  int64_t features = 0;  // one more than the last that is read
};

constexpr size_t kMostTreeNodes = size_t{1} << 30;

// Why a model has no tables.
struct TreeDefect {
  enum Kind : uint8_t {
    none,
    reached_twice,   // from two trees; `node` is the root of the second
    own_descendant,  // `node` is
    too_large,       // more than kMostTreeNodes in the tables
  };
  Kind kind = none;
  size_t node = 0;
};

// Places the nodes tree by tree, children behind their parents. A leaf is placed once for each reference, a subtree that several nodes of
// a tree lead to once. Indices have been checked.
TreeDefect make_tree_tables(const TreeModel& model, TreeTables* tables);

}  // namespace anydim::onnx
