// SPDX-License-Identifier: Apache-2.0
// Strings across the borders of bodies. In a body they are what they are around it: numbers, or views with a heap beside them
// (strings.h). Where a model has views, whatever a branch gives or a loop carries is views; their heap goes the same way, as a tensor of
// its own. What a loop stacks comes from another heap each time, so these are concatenated, unless the heap lies outside.
#include <algorithm>

#include "core/ops/operators/binary.h"
#include "core/ops/operators/concat.h"
#include "core/ops/string_views.h"
#include "onnx/walk/model_import.h"

namespace anydim::onnx {

void ModelImport::bring_strings_inside(const Scope& body, ValueId outside, ValueId value) {
  const Graph& around = *body.outer->graph;
  const auto known = strings_.find(around, outside);
  if (!known) return;
  const ValueId heap = strings_.heap_of(around, outside);
  if (heap == kNoValue) return strings_.mark(*body.graph, value, *known);
  const ValueId own = body.border->value(heap);
  strings_.mark_views(*body.graph, value, own);
  strings_.mark_captured(*body.graph, own, heap);
}

Status ModelImport::string_tensors(const NodeProto& node, const Scope& scope, ValueId value, std::vector<ValueId>* tensors) {
  if (!holds_strings(*scope.graph, value)) return tensors->push_back(value), Status();
  if (!strings_.views()) {
    if (strings_.heap_of(*scope.graph, value) != kNoValue) return strings_.require_views();
    return tensors->push_back(value), Status();
  }
  int64_t opset = 0;
  ANYDIM_TRY(opset_of(scope, node.domain, &opset));
  NodeImport n(*scope.graph, node, opset, {value}, scope.bindings, bytes_, &external_);
  n.all_strings = &strings_;
  const NodeImport::Strings strings = n.strings_in(0);
  if (!n.ok()) return n.take_status();
  tensors->push_back(strings.views);
  tensors->push_back(strings.heap);
  return {};
}

Result<std::vector<ValueId>> ModelImport::add_string_branch(const NodeProto& node, const Scope& scope, ValueId condition,
                                                            const WriteBranch& taken, const WriteBranch& otherwise, bool* ranks_differ) {
  struct Given {
    std::vector<bool> strings, known;  // by result
  } given[2];
  const auto apart = [&](const WriteBranch& write, int which) -> WriteBranch {
    return [&, which](Border& border, std::vector<ValueId>* results) -> Status {
      strings_.forget(border.inner());
      std::vector<ValueId> values;
      ANYDIM_TRY(write(border, &values));
      Scope inner;
      inner.graph = &border.inner();
      inner.opsets = scope.opsets;
      inner.bindings = scope.bindings;
      Given& mine = given[which] = {};
      results->clear();
      for (const ValueId v : values) {
        const auto known = strings_.find(border.inner(), v);
        mine.strings.push_back(known.has_value());
        mine.known.push_back(known == ModelStrings::Known::all);
        ANYDIM_TRY(string_tensors(node, inner, v, results));
      }
      if (which == 1 && given[0].strings != mine.strings)
        return error(Code::invalid_model, "{}: a result holds strings in one branch only", NodeImport::label(node));
      return {};
    };
  };
  auto made = add_branch(*scope.graph, condition, apart(taken, 0), apart(otherwise, 1), control_name(node), ranks_differ);
  if (!made.ok()) return made;
  std::vector<ValueId> values;
  for (size_t i = 0, next = 0; i < given[0].strings.size(); ++i) {
    const ValueId v = values.emplace_back((*made)[next++]);
    if (!given[0].strings[i]) continue;
    if (strings_.views()) strings_.mark_views(*scope.graph, v, (*made)[next++]);
    else strings_.mark(*scope.graph, v, given[0].known[i] && given[1].known[i] ? ModelStrings::Known::all : ModelStrings::Known::some);
  }
  return values;
}

Result<std::vector<ValueId>> ModelImport::add_string_loop(const NodeProto& node, const Scope& scope, const LoopParts& parts,
                                                          const std::vector<bool>& string_stacks, const WriteBody& write) {
  Graph& graph = *scope.graph;
  const bool views = strings_.views();
  const size_t counts = parts.iteration_rank >= 0 ? 1 : 0, asks = parts.has_condition ? 1 : 0;
  const size_t carried = parts.initial.size(), stacks = parts.stacks.size();
  LoopParts all = parts;
  all.initial.clear();
  all.names.clear();
  const auto add_name = [&](size_t i, const char* suffix) {
    if (!parts.names.empty()) all.names.push_back((i < parts.names.size() ? parts.names[i] : std::string("heap")) + suffix);
  };
  if (counts != 0) add_name(0, "");
  std::vector<bool> strings;  // of what is carried
  for (size_t k = 0; k < carried; ++k) {
    const size_t before = all.initial.size();
    strings.push_back(holds_strings(graph, parts.initial[k]));
    if (Status s = string_tensors(node, scope, parts.initial[k], &all.initial); !s.ok()) return s;
    add_name(counts + k, "");
    if (all.initial.size() - before == 2) add_name(counts + k, ModelStrings::kHeapSuffix);
  }
  // Where a stack's heaps are concatenated.
  const size_t first_heap = all.initial.size();
  const uint8_t nothing = 0;
  for (size_t s = 0; s < stacks; ++s)
    if (views && string_stacks[s]) {
      all.initial.push_back(graph.add_constant("heap", ConstantTensor::copy(DType::u8, {1}, &nothing)));
      add_name(SIZE_MAX, "");
    }
  for (size_t i = 0; i < parts.slices.size(); ++i) add_name(counts + carried + i, "");

  struct Stacked {
    ValueId heap = kNoValue;  // of the graph around, if the views are into one
    bool own = false;         // they are into the concatenated one
    ModelStrings::Known known = ModelStrings::Known::all;
  };
  std::vector<Stacked> stacked;
  const WriteBody apart = [&](Border& border, std::span<const ValueId> inputs, std::vector<ValueId>* results) -> Status {
    Scope inner;
    inner.graph = &border.inner();
    inner.opsets = scope.opsets;
    inner.bindings = scope.bindings;
    strings_.forget(*inner.graph);
    std::vector<ValueId> values(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(counts)), found;
    size_t next = counts;
    for (size_t k = 0; k < carried; ++k) {
      const ValueId v = values.emplace_back(inputs[next++]);
      if (!strings[k]) continue;
      if (views) strings_.mark_views(*inner.graph, v, inputs[next++]);
      else strings_.mark(*inner.graph, v, ModelStrings::Known::some);
    }
    const std::span<const ValueId> heaps = inputs.subspan(next, all.initial.size() - first_heap);
    next += heaps.size();
    for (const LoopParts::Slice& slice : parts.slices) {
      const ValueId v = values.emplace_back(inputs[next++]);
      const auto known = strings_.find(graph, slice.value);
      if (!known) continue;
      const ValueId heap = strings_.heap_of(graph, slice.value);
      if (heap == kNoValue) {
        strings_.mark(*inner.graph, v, *known);
        continue;
      }
      const ValueId own = border.value(heap);
      strings_.mark_views(*inner.graph, v, own);
      strings_.mark_captured(*inner.graph, own, heap);
    }
    ANYDIM_TRY(write(border, values, &found));
    results->assign(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(asks));
    for (size_t k = 0; k < carried; ++k) {
      const ValueId v = found[asks + k];
      if (holds_strings(*inner.graph, v) != strings[k])
        return error(Code::invalid_model, "{}: carried value {} holds strings at the beginning or later, and not both",
                     NodeImport::label(node), k);
      ANYDIM_TRY(string_tensors(node, inner, v, results));
    }
    std::vector<ValueId> of_stacks, grown(heaps.begin(), heaps.end());
    stacked.assign(stacks, {});
    for (size_t s = 0, h = 0; s < stacks; ++s) {
      const ValueId v = of_stacks.emplace_back(found[asks + carried + s]);
      const auto known = strings_.find(*inner.graph, v);
      if (known.has_value() != string_stacks[s])
        return error(Code::invalid_model, "{}: stack {} {}", NodeImport::label(node), s,
                     known ? "holds strings, which it is not declared to do" : "is declared to hold strings, and holds none");
      if (!known) continue;
      const size_t mine = h++;
      const ValueId heap = strings_.heap_of(*inner.graph, v);
      stacked[s].known = *known;
      if (heap == kNoValue) continue;
      if (!views) return strings_.require_views();
      stacked[s].heap = strings_.captured(*inner.graph, heap);
      stacked[s].own = stacked[s].heap == kNoValue;
      if (!stacked[s].own) continue;
      int64_t opset = 0;
      ANYDIM_TRY(opset_of(scope, node.domain, &opset));
      NodeImport n(*inner.graph, node, opset, {}, scope.bindings, bytes_, &external_);
      const int64_t step = string_view_of(1, 0);
      const ValueId before = n.shape(DType::i64, {}, {n.dims(heaps[mine])[0]});
      of_stacks.back() = n.binary(BinaryFunction::add, v, n.binary(BinaryFunction::mul, before, n.constant(DType::i64, {}, &step)));
      grown[mine] = n.add(Concat::make(0), {heaps[mine], heap});
      if (!n.ok()) return n.take_status();
    }
    results->insert(results->end(), grown.begin(), grown.end());
    results->insert(results->end(), of_stacks.begin(), of_stacks.end());
    return {};
  };
  auto made = add_loop(graph, all, apart, control_name(node));
  if (!made.ok()) return made;
  std::vector<ValueId> values;
  size_t next = 0;
  for (size_t k = 0; k < carried; ++k) {
    const ValueId v = values.emplace_back((*made)[next++]);
    if (!strings[k]) continue;
    if (views) strings_.mark_views(graph, v, (*made)[next++]);
    else strings_.mark(graph, v, ModelStrings::Known::some);
  }
  const size_t first_stack = all.initial.size();
  for (size_t s = 0, h = 0; s < stacks; ++s) {
    const ValueId v = values.emplace_back((*made)[first_stack + s]);
    if (!string_stacks[s]) continue;
    const ValueId concatenated = views ? (*made)[first_heap + h++] : kNoValue;
    const ValueId heap = stacked[s].own ? concatenated : stacked[s].heap;
    if (heap != kNoValue) strings_.mark_views(graph, v, heap);
    else strings_.mark(graph, v, stacked[s].known);
  }
  return values;
}

}  // namespace anydim::onnx
