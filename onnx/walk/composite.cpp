// SPDX-License-Identifier: Apache-2.0
// Sequences and optionals on the walk over a model: their operators, and how they cross the borders of bodies. The graph gets the tensors
// that they are made of. Which operators there are is sequence.cpp; loops over them are composite_loop.cpp.
#include <algorithm>

#include "onnx/walk/model_import.h"
#include "onnx/format/schemas.h"

namespace anydim::onnx {

Status ModelImport::tensors_only(const NodeProto& node, const std::vector<ValueId>& inputs) const {
  for (size_t i = 0; i < inputs.size(); ++i)
    if (is_composite(inputs[i]))
      return error(Code::invalid_model, "{}: input {}, '{}', is {}; expected a tensor", NodeImport::label(node), i, shown(node.input[i]),
                   composites_.at(inputs[i]).name());
  return {};
}

ValueId ModelImport::bring_inside(const Scope& body, ValueId value) {
  if (!is_composite(value)) {
    const ValueId made = body.border->value(value);
    if (value != kNoValue) bring_strings_inside(body, value, made);
    return made;
  }
  Composite made = composites_.at(value);
  for (ValueId& part : made.parts) part = bring_inside(body, part);
  made.stacked = bring_inside(body, made.stacked);
  return composites_.add(std::move(made));
}

Status ModelImport::take_apart(const std::vector<ValueId>& values, std::vector<ValueId>* tensors) const {
  for (const ValueId v : values) {
    if (!is_composite(v)) {
      tensors->push_back(v);
      continue;
    }
    const Composite& c = composites_.at(v);
    if (c.grows >= 0)
      return unimplemented(
          "a sequence to which a loop appends comes out of a body inside it, and only a run knows how often; expected that the loop's own "
          "body appends");
    if (c.stacked != kNoValue) tensors->push_back(c.stacked);
    else ANYDIM_TRY(take_apart(c.parts, tensors));
  }
  return {};
}

std::vector<ValueId> ModelImport::put_together(const std::vector<ValueId>& model, const std::vector<ValueId>& tensors) {
  size_t next = 0;
  const std::function<ValueId(ValueId)> made = [&](ValueId v) {
    if (!is_composite(v)) return tensors[next++];
    Composite c = composites_.at(v);
    for (ValueId& part : c.parts) part = made(part);
    if (c.stacked != kNoValue) c.stacked = tensors[next++];
    return composites_.add(std::move(c));
  };
  std::vector<ValueId> values;
  for (const ValueId v : model) values.push_back(made(v));
  return values;
}

// Are they made of as many tensors in the same way?
bool ModelImport::alike(ValueId a, ValueId b) const {
  if (!is_composite(a) || !is_composite(b)) return !is_composite(a) && !is_composite(b);
  const Composite &x = composites_.at(a), &y = composites_.at(b);
  if (x.kind != y.kind || x.parts.size() != y.parts.size() || (x.stacked == kNoValue) != (y.stacked == kNoValue)) return false;
  for (size_t i = 0; i < x.parts.size(); ++i)
    if (!alike(x.parts[i], y.parts[i])) return false;
  return true;
}

Status ModelImport::import_composite(const CompositeOperator& op, const NodeProto& node, const std::vector<ValueId>& inputs, Scope* scope) {
  const std::string where = NodeImport::label(node);
  int64_t opset = 0;
  ANYDIM_TRY(opset_of(*scope, node.domain, &opset).at(where));
  if (opset > kNewestOpset) return unimplemented("{}: opset {} is not supported; {} to {} are", where, opset, kOldestOpset, kNewestOpset);
  if (opset < op.since)
    return error(Code::invalid_model, "{}: the model imports opset {}; the operator exists since {}", where, opset, op.since);
  std::vector<ValueId> tensors;
  for (const ValueId v : inputs) tensors.push_back(is_composite(v) ? kNoValue : v);
  NodeImport n(*scope->graph, node, opset, tensors, scope->bindings, bytes_, &external_);
  n.all_strings = &strings_;
  n.moves_strings = true;
  check_schema(n, inputs);
  // Elements may be strings; positions and sizes, which are other inputs, may not.
  const size_t element = node.op_type == "SequenceInsert" ? 1 : 0;
  for (size_t i = 0; i < tensors.size() && node.op_type != "SequenceConstruct"; ++i)
    if (n.holds_strings(i) && i != element) n.wrong("input {} holds strings", i);
  const ValueId made = n.ok() ? op.function(n, composites_, inputs) : kNoValue;
  if (!n.ok()) {
    Status failure = n.take_status();
    // Dims that this library wants of elements and ONNX does not are assumed: a model that they contradict is not wrong.
    const bool wanted = std::ranges::any_of(scope->graph->guards, [](const Guard& g) { return !g.allowed.is(0); });
    if (failure.code() != Code::invalid_model || !wanted) return failure;
    return std::move(failure).as(Code::unimplemented).at("with elements of one dims, where only a run knows how many");
  }
  if (node.output.size() != 1 || node.output[0].empty()) return error(Code::invalid_model, "{}: it has no output", where);
  if (!is_composite(made)) {  // one that is handed through keeps its name
    Value& value = scope->graph->value(made);
    if (value.producer != kNoNode && value.users.empty() && std::ranges::find(inputs, made) == inputs.end())
      value.name = std::string(node.output[0]);
  }
  if (!scope->values.emplace(node.output[0], made).second)
    return error(Code::invalid_model, "{}: its output '{}' is also an input of the graph or function", where, shown(node.output[0]));
  return {};
}

}  // namespace anydim::onnx
