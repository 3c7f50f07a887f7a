// SPDX-License-Identifier: Apache-2.0
// What a node of an operator may look like in a version: how many inputs and outputs, which attributes. Their types and
// meaning are the importers' business; that a node has nothing which its version does not know is checked here, for all
// of them, so that an attribute or input of another version is refused and never passed over.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace anydim::onnx {

class NodeImport;

struct Schema {
  std::string_view op_type;
  int64_t since;                // the opset from which this holds, until the operator's next row
  int32_t inputs, outputs;      // at most; -1: any number
  bool gone;                    // the operator does not exist any more
  std::string_view attributes;  // names, each with "!" if it is required
};

// By operator, then by opset.
std::span<const Schema> all_schemas() noexcept;

// The row that holds for an opset; null if the operator does not exist in it.
const Schema* find_schema(std::string_view op_type, int64_t opset) noexcept;

// Fails `n` if its node has what its version does not know, or lacks an attribute that it requires.
void check_schema(NodeImport& n);

}  // namespace anydim::onnx
