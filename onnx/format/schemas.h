// SPDX-License-Identifier: Apache-2.0
// What a node of an operator may look like: in a version how many inputs and outputs and which attributes, and in any version of
// which element types its inputs are. Their meaning is the importers' business; that a node has nothing which its version does not
// know is checked here, for all of them, so that an attribute or input of another version is refused and never passed over.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/graph/ir.h"

namespace anydim::onnx {

class NodeImport;

constexpr std::string_view kMicrosoftDomain = "com.microsoft";
constexpr std::string_view kLearnedDomain = "ai.onnx.ml";
constexpr int64_t kNewestLearned = 5;  // version of that domain

struct Schema {
  std::string_view op_type;
  int64_t since;                // the opset from which this holds, until the operator's next row
  int32_t inputs;               // at most; -1: any number
  uint32_t required;            // a bit for each input that must be there, the last one for those from 31 on, too
  int32_t outputs;              // at most; -1: any number
  bool gone;                    // the operator does not exist any more
  std::string_view attributes;  // names, each with "!" if it is required
};

// Where a text lies in the pool of the generated table, which has no pointers: each would need 24 bytes of relocations.
struct PoolText {
  uint16_t at, size;
};
std::string_view text_of(PoolText text) noexcept;

// A Schema as it lies in the generated table.
struct SchemaRow {
  PoolText op_type, attributes;
  uint32_t required;
  int16_t since, inputs, outputs;
  bool gone;
  Schema schema() const noexcept { return {text_of(op_type), since, inputs, required, outputs, gone, text_of(attributes)}; }
};

// For each input a letter, the index of a set of type_sets() (A to Z, then a to z), and a digit: inputs of one digit have one type. The last
// pair holds for further inputs, too.
struct InputTypesRow {
  PoolText op_type, inputs;
};

// By operator; those that any version takes. None of an operator that takes no tensors, or inputs of different types without end.
std::span<const InputTypesRow> all_input_types() noexcept;
// Bit i of a set: the DType of number i. An empty set says nothing.
std::span<const uint32_t> type_sets() noexcept;

// By operator, then by opset of its domain: those of ai.onnx, of ai.onnx.ml and of ai.onnx.preview.training, which have no name in common.
std::span<const SchemaRow> all_schemas() noexcept;

// The row that holds for an opset; none if the operator does not exist in it.
std::optional<Schema> find_schema(std::string_view op_type, int64_t opset) noexcept;

// The row of an operator that ONNX does not have, of com.microsoft or in other domains; or none.
std::optional<Schema> find_extension(std::string_view domain, std::string_view op_type) noexcept;

// Fails `n` if its node has what its version does not know, lacks an attribute or input that it requires, or has an input of an element
// type that no version takes. After it the importer may read every input that its row requires. `given` are the node's inputs, sequences
// and optionals among them.
void check_schema(NodeImport& n, std::span<const ValueId> given);

}  // namespace anydim::onnx
