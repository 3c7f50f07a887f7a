// SPDX-License-Identifier: Apache-2.0
// What the importers of ai.onnx.ml share: rows of features, labels of classes, and what becomes of scores.
#pragma once

#include <string_view>
#include <vector>

#include "onnx/walk/node_import.h"

namespace anydim::onnx {

// Input 0 as rows of features, [rows, features] of f32, or of f64 where it is so and `wide` asks for it.
ValueId feature_rows(NodeImport& n, bool wide = false);

enum class Transform : uint8_t { none, softmax, logistic, softmax_zero, probit };
Transform transform_of(NodeImport& n);
// Of scores [rows, classes], each row by itself.
ValueId transformed(NodeImport& n, ValueId scores, Transform how);
// The two columns that one score [rows, 1] makes. `signed_scores`: of which one class has the score and the other its negative.
ValueId two_columns(NodeImport& n, ValueId score, Transform how, bool signed_scores);

struct Labels {
  std::vector<int64_t> integers;
  std::vector<std::string_view> strings;
  bool are_strings() const noexcept { return !strings.empty(); }
  int64_t count() const noexcept { return static_cast<int64_t>(are_strings() ? strings.size() : integers.size()); }
};
Labels labels_of(NodeImport& n, std::string_view integers, std::string_view strings);
// Output 0: the label of each row, of its index [rows].
void give_labels(NodeImport& n, const Labels& labels, ValueId index);
// Of rows of scores, the index of the largest, the first of equal ones: [rows].
ValueId largest(NodeImport& n, ValueId scores);
// 1 for rows of [rows, 1] that hold, else 0: [rows], i64.
ValueId holds(NodeImport& n, ValueId condition);

// A row of numbers, [1, count].
ValueId row_constant(NodeImport& n, std::span<const float> values, DType as = DType::f32);
// The rows of a table at indices of any dims.
ValueId looked_up(NodeImport& n, ValueId table, ValueId index);
// Where each string stands in the sorted table, -1 if it is not in it (strings.cpp). The table's strings are distinct.
ValueId string_index(NodeImport& n, const NodeImport::Strings& x, std::vector<std::string_view> table);

}  // namespace anydim::onnx
