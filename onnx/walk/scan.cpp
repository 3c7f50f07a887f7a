// SPDX-License-Identifier: Apache-2.0
// Scan: a loop over the slices of its inputs.
#include <algorithm>

#include "onnx/walk/model_import.h"
#include "onnx/format/schemas.h"

namespace anydim::onnx {

namespace {

// Attributes of a Scan, its body and how many of its inputs are states.
struct ScanParts {
  BodyProto body;
  size_t states = 0, scanned = 0;
  std::vector<int64_t> input_axes, input_directions, output_axes, output_directions;
};

Status direction(const std::vector<int64_t>& directions, size_t i, const char* what, bool* reverse) {
  const int64_t d = directions.empty() ? 0 : directions[i];
  if (d != 0 && d != 1) return error(Code::invalid_model, "{}[{}] is {}; expected 0 or 1", what, i, d);
  *reverse = d == 1;
  return {};
}

Status read_scan(NodeImport& n, BodyProto body, size_t inputs, ScanParts* p) {
  const bool batched = n.opset() < 9;
  p->body = std::move(body);
  const int64_t scanned = n.integer("num_scan_inputs");
  p->input_axes = batched ? std::vector<int64_t>() : n.integers("scan_input_axes");
  p->input_directions = n.integers(batched ? "directions" : "scan_input_directions");
  if (!batched) {
    p->output_axes = n.integers("scan_output_axes");
    p->output_directions = n.integers("scan_output_directions");
  }
  if (!n.ok()) return n.take_status();
  if (scanned < 1 || static_cast<uint64_t>(scanned) > inputs)
    return error(Code::invalid_model, "num_scan_inputs is {}; expected 1 to {}", scanned, inputs);
  p->scanned = static_cast<size_t>(scanned);
  p->states = inputs - p->scanned;
  if (p->body->input.size() != inputs)
    return error(Code::invalid_model, "its body has {} inputs; expected {}", p->body->input.size(), inputs);
  if (p->body->output.size() < p->states)
    return error(Code::invalid_model, "its body has {} outputs; expected {} at least", p->body->output.size(), p->states);
  const size_t stacked = p->body->output.size() - p->states;
  const auto count = [](const std::vector<int64_t>& list, size_t wanted, const char* what) {
    if (list.empty() || list.size() == wanted) return Status();
    return error(Code::invalid_model, "{} has {} numbers; expected {}", what, list.size(), wanted);
  };
  ANYDIM_TRY(count(p->input_axes, p->scanned, "scan_input_axes"));
  ANYDIM_TRY(count(p->input_directions, p->scanned, batched ? "directions" : "scan_input_directions"));
  ANYDIM_TRY(count(p->output_axes, stacked, "scan_output_axes"));
  return count(p->output_directions, stacked, "scan_output_directions");
}

// The loop over the elements of `inputs`: states, then what is scanned.
Status scan_loop(const Graph& graph, const ScanParts& p, std::span<const ValueId> inputs, LoopParts* loop) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == kNoValue) return error(Code::invalid_model, "its input {} is absent", i);
    loop->names.emplace_back(p.body->input[i].name);
    if (i < p.states) {
      loop->initial.push_back(inputs[i]);
      continue;
    }
    const size_t k = i - p.states;
    LoopParts::Slice s{inputs[i], 0, false};
    Status axis = normalise_axis(p.input_axes.empty() ? 0 : p.input_axes[k], graph.value(inputs[i]).type.dims.rank,
                                 "its axis of what is scanned", &s.axis);
    if (!axis.ok()) return std::move(axis).as(Code::invalid_model);
    ANYDIM_TRY(direction(p.input_directions, k, "the direction of its inputs", &s.reverse));
    loop->slices.push_back(s);
  }
  for (size_t k = 0; k < p.body->output.size() - p.states; ++k) {
    Control::Stack s;
    s.axis = static_cast<int32_t>(std::clamp<int64_t>(p.output_axes.empty() ? 0 : p.output_axes[k], -kMaxRank - 1, kMaxRank));
    ANYDIM_TRY(direction(p.output_directions, k, "the direction of its outputs", &s.reverse));
    s.declared = declared_dims(p.body->output[p.states + k]);
    loop->stacks.push_back(s);
  }
  return {};
}

}  // namespace

Status ModelImport::import_scan(NodeImport& n, const std::vector<ValueId>& inputs, Scope* scope) {
  const NodeProto& node = n.proto();
  const std::string where = NodeImport::label(node);
  BodyProto body;
  ANYDIM_TRY(body_of(node, "body", &body));
  ScanParts scan;
  ANYDIM_TRY(read_scan(n, body, inputs.size(), &scan).at(where));
  LoopParts parts;
  ANYDIM_TRY(scan_loop(*scope->graph, scan, inputs, &parts).at(where));
  if (body->output.size() < node.output.size())
    return error(Code::invalid_model, "{}: its body has {} outputs; expected {}", where, body->output.size(), node.output.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const DType provided = scope->graph->value(inputs[i]).type.dtype;
    ANYDIM_TRY(declared_type(*body, i, provided, holds_strings(*scope->graph, inputs[i])).at(where));
  }
  const WriteBody write = [&](Border& border, std::span<const ValueId> values, std::vector<ValueId>* results) -> Status {
    Scope inner = scope->of_body(&border);
    inner.repeats = true;
    return import_inside(*body, values, &inner, results).at(where);
  };
  const int depth = depth_;
  auto made = add_string_loop(node, *scope, parts, strings_declared(*body, scan.states), write);
  if (!made.ok() && impossible_ && split_ == nullptr) {
    depth_ = depth;
    const LoopParts::Slice& first = parts.slices[0];
    return import_idle_scan(n, *body, parts, {n.dims(first.value)[first.axis]}, inputs, made.take_status(), scope);
  }
  if (!made.ok()) return made.take_status();
  return take_results(node, inputs, *made, scope);
}

// `lengths` of what it stacks: along the stack's axis and, before all axes, along a batch.
Status ModelImport::import_idle_scan(NodeImport& n, const GraphProto& body, const LoopParts& parts, const std::vector<Dim>& lengths,
                                     const std::vector<ValueId>& inputs, Status why, Scope* scope) {
  Dim runs = 1;
  for (const Dim length : lengths) runs = n.pool().mul(runs, n.pool().less(0, length));
  if (runs.is(1)) return why;
  require_idle(runs, n.proto(), why, scope->graph);
  std::vector<ValueId> results = parts.initial;
  for (size_t k = results.size(); k < body.output.size(); ++k) {
    ValueId none = kNoValue;
    ANYDIM_TRY(empty_stack(body.output[k], scope->graph, &none).at(NodeImport::label(n.proto())));
    SymDims dims = n.dims(none);
    dims.erase(0);
    if (dims.rank + static_cast<int>(lengths.size()) > kMaxRank) return why;
    int axis = parts.stacks[k - parts.initial.size()].axis;
    if (axis < 0) axis += dims.rank + 1;
    if (axis < 0 || axis > dims.rank) return why;
    dims.insert(axis, lengths.back());
    if (lengths.size() > 1) dims.insert(0, lengths.front());
    results.push_back(n.reshape(none, dims));
    if (!n.ok()) return n.take_status();
    strings_.mark_like(*scope->graph, none, results.back());
  }
  return take_results(n.proto(), inputs, results, scope);
}

// Opset 8: a batch of scans, which is a loop of loops.
Status ModelImport::import_batched_scan(NodeImport& n, const std::vector<ValueId>& inputs, Scope* scope) {
  const NodeProto& node = n.proto();
  const std::string where = NodeImport::label(node);
  if (!inputs.empty() && inputs[0] != kNoValue) return unimplemented("{}: input 0 (sequence_lens) is given; expected none", where);
  BodyProto body;
  ANYDIM_TRY(body_of(node, "body", &body));
  ScanParts scan;
  ANYDIM_TRY(read_scan(n, body, inputs.empty() ? 0 : inputs.size() - 1, &scan).at(where));
  if (body->output.size() < node.output.size())
    return error(Code::invalid_model, "{}: its body has {} outputs; expected {}", where, body->output.size(), node.output.size());
  LoopParts batch;
  for (size_t i = 1; i < inputs.size(); ++i) {
    if (inputs[i] == kNoValue) return error(Code::invalid_model, "{}: its input {} is absent", where, i);
    const TensorType& type = scope->graph->value(inputs[i]).type;
    const int least = i <= scan.states ? 1 : 2;
    if (type.dims.rank < least)
      return error(Code::invalid_model, "{}: its input {} has rank {}; expected {} at least", where, i, type.dims.rank, least);
    ANYDIM_TRY(declared_type(*body, i - 1, type.dtype, holds_strings(*scope->graph, inputs[i])).at(where));
    batch.slices.push_back({inputs[i], 0, false});
  }
  batch.stacks.resize(body->output.size());
  for (size_t k = 0; k < batch.stacks.size(); ++k) {
    Dims& declared = batch.stacks[k].declared = declared_dims(body->output[k]);
    if (k >= scan.states && body->output[k].type.has_shape) declared.insert(0, -1);  // as long as the sequence
  }
  const WriteBody write_batch = [&](Border& outer, std::span<const ValueId> members, std::vector<ValueId>* results) -> Status {
    Scope middle = scope->of_body(&outer);
    middle.repeats = true;
    LoopParts parts;
    ANYDIM_TRY(scan_loop(*middle.graph, scan, members, &parts).at(where));
    const WriteBody write = [&](Border& border, std::span<const ValueId> values, std::vector<ValueId>* inside) -> Status {
      Scope inner = middle.of_body(&border);
      return import_inside(*body, values, &inner, inside).at(where);
    };
    auto made = add_string_loop(node, middle, parts, strings_declared(*body, scan.states), write);
    if (!made.ok()) return made.take_status();
    *results = *std::move(made);
    return {};
  };
  const int depth = depth_;
  auto made = add_string_loop(node, *scope, batch, strings_declared(*body, 0), write_batch);
  if (!made.ok() && impossible_ && split_ == nullptr) {
    depth_ = depth;
    batch.stacks.resize(body->output.size() - scan.states);  // states are given as they came
    for (size_t i = 1; i <= scan.states; ++i) batch.initial.push_back(inputs[i]);
    const SymDims scanned = n.dims(inputs[scan.states + 1]);
    return import_idle_scan(n, *body, batch, {scanned[0], scanned[1]}, inputs, made.take_status(), scope);
  }
  if (!made.ok()) return made.take_status();
  return take_results(node, inputs, *made, scope);
}

}  // namespace anydim::onnx
