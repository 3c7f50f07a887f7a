// SPDX-License-Identifier: Apache-2.0
// What a name of a model may stand for besides a tensor: a sequence of tensors or an optional. The graph knows tensors only, so the
// importer takes these apart: a composite says which tensors it is made of (docs/decisions/076-sequences-are-taken-apart.md).
#pragma once

#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "core/graph/ir.h"
#include "onnx/format/proto.h"

namespace anydim::onnx {

struct Composite {
  enum class Kind : uint8_t { sequence, optional };
  Kind kind = Kind::sequence;
  DType dtype = DType::none;   // of a sequence's elements; none: nothing has determined it
  bool strings = false;        // these are strings: numbers of strings, or views (strings.h)
  std::vector<ValueId> parts;  // a sequence's elements; what an optional holds, if anything
  ValueId stacked = kNoValue;  // or, where only a run knows the length: a tensor whose slices along axis 0 are the elements
  int32_t grows = -1;          // a sequence that a loop's body is given and may only append to: its number; `parts` are appended
  const char* name() const noexcept { return kind == Kind::sequence ? "a sequence" : "an optional"; }
};

// Composites have ids below those of tensors and kNoValue, so that both go the same ways.
inline bool is_composite(ValueId v) noexcept { return v < kNoValue; }

class Composites {
 public:
  ValueId add(Composite c) {
    all_.push_back(std::move(c));
    return kNoValue - static_cast<ValueId>(all_.size());
  }
  const Composite& at(ValueId id) const { return all_[static_cast<size_t>(kNoValue - 1 - id)]; }
  int32_t new_growing() noexcept { return growing_++; }

 private:
  std::deque<Composite> all_;  // references stay valid
  int32_t growing_ = 0;
};

class NodeImport;

// An operator that takes or gives composites. The inputs that are composites are absent in `n`; `inputs` has all of them.
struct CompositeOperator {
  std::string_view op_type;
  int64_t since;
  ValueId (*function)(NodeImport& n, Composites& all, const std::vector<ValueId>& inputs);
};
// Null for others.
const CompositeOperator* find_composite_operator(const NodeProto& node);

// Tensors of one rank one behind the other along a new first axis, as one.
ValueId stacked_parts(NodeImport& n, const std::vector<ValueId>& parts);
// The sequence as one tensor, whose first axis counts its elements; fails where these are none or of different dims.
ValueId stacked_sequence(NodeImport& n, const Composite& sequence);
// Of two sequences as tensors whose elements come into one: they have the same dims, or the model or the run is unimplemented.
void require_one_element_dims(NodeImport& n, ValueId first, ValueId second);
// One sequence behind the other, both as tensors.
ValueId joined(NodeImport& n, ValueId first, ValueId second);

}  // namespace anydim::onnx
