// SPDX-License-Identifier: Apache-2.0
// Sequences and optionals on the walk over a model: across borders of bodies, through If and Loop, and SequenceMap. The graph gets the
// tensors that they are made of. Which operators there are is import_sequence.cpp.
#include <algorithm>

#include "onnx/model_import.h"
#include "onnx/schemas.h"

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
    if (value != kNoValue) bring_texts_inside(body, value, made);
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
  n.all_texts = &texts_;
  n.moves_texts = true;
  check_schema(n);
  // Elements may be strings; positions and sizes, which are other inputs, may not.
  const size_t element = node.op_type == "SequenceInsert" ? 1 : 0;
  for (size_t i = 0; i < tensors.size() && node.op_type != "SequenceConstruct"; ++i)
    if (n.holds_texts(i) && i != element) n.wrong("input {} holds strings", i);
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

// --- loops -----------------------------------------------------------------------------------------------------------

namespace {

constexpr int64_t kMostUnrolled = 256;  // iterations

bool number_of(const Graph& graph, ValueId v, int64_t* to) {
  const ShapeValues& c = graph.value(v).shape_values;
  if (!c.known || c.denominator != 1 || c.elements.size() != 1 || !c.elements[0].is_number()) return false;
  *to = c.elements[0].number();
  return true;
}

// The node of a body that makes a name; null for inputs and the like.
const NodeProto* maker_of(const GraphProto& body, std::string_view name) {
  for (const NodeProto& node : body.node)
    if (std::ranges::find(node.output, name) != node.output.end()) return &node;
  return nullptr;
}

// Follows a name back over Identity and, where asked, over SequenceInsert at the end.
std::string_view origin_of(const GraphProto& body, std::string_view name, size_t* inserted = nullptr) {
  for (size_t steps = 0; steps <= body.node.size(); ++steps) {
    const NodeProto* node = maker_of(body, name);
    if (node == nullptr || !is_standard(node->domain) || node->input.empty()) break;
    const bool insert = inserted != nullptr && node->op_type == "SequenceInsert" &&
                        (node->input.size() == 2 || (node->input.size() == 3 && node->input[2].empty()));
    if (node->op_type != "Identity" && !insert) break;
    if (insert) ++*inserted;
    name = node->input[0];
  }
  return name;
}

// Does the body say whether to go on by what it was given, or by a constant?
bool condition_is_known(const GraphProto& body) {
  const std::string_view name = origin_of(body, body.output[0].name);
  if (name == body.input[1].name) return true;
  const NodeProto* node = maker_of(body, name);
  if (node != nullptr) return is_standard(node->domain) && node->op_type == "Constant";
  return std::ranges::find(body.initializer, name, &TensorProto::name) != body.initializer.end();
}

enum class Way : uint8_t {
  tensor,  // of the node
  kept,    // the body gives it back as it came
  grows,   // the body appends to it
  apart,   // its tensors are carried
};

}  // namespace

Status ModelImport::import_composite_loop(const NodeProto& node, const BodyProto& body, const std::vector<ValueId>& inputs, Scope* scope) {
  const std::string where = NodeImport::label(node);
  Graph& graph = *scope->graph;
  const size_t carried = inputs.size() - 2;
  if (body->input.size() != carried + 2 || body->output.size() < carried + 1 || body->output.size() - 1 < node.output.size())
    return error(Code::invalid_model, "{}: its body has {} inputs and {} outputs; it carries {} values", where, body->input.size(),
                 body->output.size(), carried);
  for (size_t k = 0; k < carried; ++k)
    if (inputs[k + 2] == kNoValue)
      return error(Code::invalid_model, "{}: the first value of what it carries, input {}, is absent", where, k + 2);
  ANYDIM_TRY(declared_type(*body, 0, DType::i64).at(where));
  ANYDIM_TRY(declared_type(*body, 1, DType::boolean).at(where));
  int64_t count = 0, begins = 1;
  const bool known = inputs[0] != kNoValue && number_of(graph, inputs[0], &count) && count <= kMostUnrolled &&
                     (inputs[1] == kNoValue || number_of(graph, inputs[1], &begins)) && condition_is_known(*body);
  if (known) return unroll_loop(node, body, begins != 0 ? count : 0, inputs, scope);

  std::vector<Way> ways;
  LoopParts parts;
  parts.count = inputs[0];
  parts.condition = inputs[1];
  parts.has_condition = true;
  const auto rank_of = [&](size_t i) { return body->input[i].type.has_shape ? static_cast<int>(body->input[i].type.shape.size()) : 0; };
  parts.iteration_rank = rank_of(0);
  parts.names.emplace_back(body->input[0].name);
  std::vector<int32_t> growing;
  std::vector<ValueId> apart;  // what is carried as tensors, in order
  for (size_t k = 0; k < carried; ++k) {
    const ValueId initial = inputs[k + 2];
    if (!is_composite(initial)) {
      ways.push_back(Way::tensor);
      ANYDIM_TRY(declared_type(*body, k + 2, graph.value(initial).type.dtype, holds_texts(graph, initial)).at(where));
    } else {
      size_t inserted = 0;
      const bool own = origin_of(*body, body->output[1 + k].name, &inserted) == body->input[k + 2].name;
      ways.push_back(!own ? Way::apart : inserted == 0 ? Way::kept : Way::grows);
      if (ways.back() == Way::grows) growing.push_back(composites_.new_growing());
    }
    if (ways.back() == Way::kept || ways.back() == Way::grows) continue;
    apart.push_back(initial);
    ANYDIM_TRY(take_apart({initial}, &parts.initial).at(where));
    while (parts.names.size() < parts.initial.size() + 1) parts.names.emplace_back(body->input[k + 2].name);
  }
  const size_t stacked = body->output.size() - 1 - carried;
  parts.stacks.resize(stacked + growing.size());
  for (size_t s = stacked; s < parts.stacks.size(); ++s) parts.stacks[s].of_sequence = true;
  std::vector<bool> text_stacks = texts_declared(*body, 1 + carried);
  for (size_t k = 0; k < carried; ++k)
    if (ways[k] == Way::grows) text_stacks.push_back(composites_.at(inputs[k + 2]).texts);
  const WriteBody write = [&](Border& border, std::span<const ValueId> values, std::vector<ValueId>* results) -> Status {
    Scope inner = scope->of_body(&border);
    inner.repeats = true;
    const uint8_t yes = 1;
    std::vector<ValueId> all{values[0],
                             border.inner().add_constant(std::string(body->input[1].name),
                                                         ConstantTensor::copy(DType::boolean, Dims::filled(rank_of(1), 1), &yes))};
    const std::vector<ValueId> joined = put_together(apart, {values.begin() + 1, values.end()});
    size_t next = 0, grown = 0;
    for (size_t k = 0; k < carried; ++k) {
      const ValueId initial = inputs[k + 2];
      if (ways[k] == Way::kept) {
        all.push_back(bring_inside(inner, initial));
      } else if (ways[k] == Way::grows) {
        Composite c;
        c.dtype = composites_.at(initial).dtype;
        c.texts = composites_.at(initial).texts;
        c.grows = growing[grown++];
        all.push_back(composites_.add(std::move(c)));
      } else {
        all.push_back(joined[next++]);
      }
    }
    std::vector<ValueId> found;
    ANYDIM_TRY(import_inside(*body, all, &inner, &found).at(where));
    results->assign({found[0]});
    std::vector<ValueId> appended;
    next = grown = 0;
    int64_t opset = 0;
    ANYDIM_TRY(opset_of(*scope, node.domain, &opset).at(where));
    NodeImport n(border.inner(), node, opset, {}, scope->bindings, bytes_, &external_);
    n.all_texts = &texts_;
    n.moves_texts = true;
    for (size_t k = 0; k < carried; ++k) {
      const ValueId v = found[1 + k];
      if (ways[k] == Way::kept) continue;
      if (ways[k] == Way::grows) {
        if (!is_composite(v) || composites_.at(v).grows != growing[grown++])
          return unimplemented(
              "{}: its body changes the sequence '{}' otherwise than by appending, and only a run knows how often; expected a loop whose "
              "count is a constant, up to 256",
              where, shown(body->input[k + 2].name));
        const std::vector<ValueId>& more = composites_.at(v).parts;
        appended.push_back(more.size() == 1 ? more[0] : stacked_parts(n, more));
        if (!n.ok()) return n.take_status();
        continue;
      }
      if (!alike(v, joined[next++]))
        return unimplemented(
            "{}: its sequence or optional '{}' gets another length, and only a run knows how often; expected a loop whose count is a "
            "constant, up to 256",
            where, shown(body->input[k + 2].name));
      ANYDIM_TRY(take_apart({v}, results).at(where));
    }
    for (size_t s = 0; s < stacked; ++s) {
      if (is_composite(found[1 + carried + s]))
        return error(Code::invalid_model, "{}: output {} of its body is stacked, and no tensor", where, 1 + carried + s);
      results->push_back(found[1 + carried + s]);
    }
    results->insert(results->end(), appended.begin(), appended.end());
    if (parts.condition != kNoValue) return {};
    if (int64_t goes_on = 0; number_of(border.inner(), found[0], &goes_on) && goes_on != 0) return {};
    return unimplemented("{}: it has no condition, but its body gives one that may be false: ONNX ignores that one and runtimes do not",
                         where);
  };
  auto made = add_text_loop(node, *scope, parts, text_stacks, write);
  if (!made.ok()) return made.take_status();

  // Back in the node's order.
  const std::vector<ValueId> carried_on =
      put_together(apart, {made->begin(), made->begin() + static_cast<std::ptrdiff_t>(parts.initial.size())});
  const auto stacks = made->begin() + static_cast<std::ptrdiff_t>(parts.initial.size());
  int64_t opset = 0;
  ANYDIM_TRY(opset_of(*scope, node.domain, &opset).at(where));
  NodeImport n(graph, node, opset, {}, scope->bindings, bytes_, &external_);
  n.all_texts = &texts_;
  n.moves_texts = true;
  std::vector<ValueId> all;
  size_t next = 0, grown = 0;
  for (size_t k = 0; k < carried; ++k) {
    const ValueId initial = inputs[k + 2];
    if (ways[k] == Way::kept) {
      all.push_back(initial);
    } else if (ways[k] == Way::grows) {
      ValueId rows = stacks[static_cast<std::ptrdiff_t>(stacked + grown)];
      size_t inserted = 0;
      origin_of(*body, body->output[1 + k].name, &inserted);
      if (inserted > 1) {  // several in one iteration
        SymDims dims = n.dims(rows);
        dims[1] = n.pool().mul(dims[0], dims[1]);
        dims.erase(0);
        rows = n.reshape(rows, dims);
      }
      const Composite& before = composites_.at(initial);
      if (before.stacked != kNoValue || !before.parts.empty()) rows = joined(n, stacked_sequence(n, before), rows);
      if (!n.ok()) return n.take_status();
      Composite c;
      c.dtype = n.dtype(rows);
      c.texts = n.is_text(rows);
      c.stacked = rows;
      all.push_back(composites_.add(std::move(c)));
      ++grown;
    } else {
      all.push_back(carried_on[next++]);
    }
  }
  all.insert(all.end(), stacks, stacks + static_cast<std::ptrdiff_t>(stacked));
  return take_results(node, inputs, all, scope);
}

// What a loop that never runs gives: a stack of no elements, of the dims that its body declares, 0 for those that it does not.
Status ModelImport::empty_stack(const ValueInfo& output, Graph* graph, ValueId* to) {
  const bool texts = output.type.element_type == kString && texts_.allowed();
  const Result<DType> dtype = texts ? Result<DType>(DType::i64) : dtype_of(output.type.element_type);
  if (!output.type.has_shape || output.type.shape.size() >= static_cast<size_t>(kMaxRank) || !dtype.ok())
    return unimplemented("it never runs, and its body declares no type of output '{}', which it stacks; expected element type and dims",
                         shown(output.name));
  Dims dims{0};
  for (const Dimension& d : output.type.shape) dims.push_back(d.has_value ? std::max<int64_t>(d.value, 0) : 0);
  *to = graph->add_constant(std::string(output.name), ConstantTensor::copy(*dtype, dims, nullptr));
  if (texts) texts_.mark(*graph, *to, Texts::Known::all);
  return {};
}

// One iteration behind the other, in this graph.
Status ModelImport::unroll_loop(const NodeProto& node, const BodyProto& body, int64_t count, const std::vector<ValueId>& inputs,
                                Scope* scope) {
  const std::string where = NodeImport::label(node);
  Graph& graph = *scope->graph;
  const size_t carried = inputs.size() - 2, stacked = body->output.size() - 1 - carried;
  const auto constant = [&](size_t i, DType dtype, const void* bytes) {
    const ValueInfo& v = body->input[i];
    return graph.add_constant(
        std::string(v.name),
        ConstantTensor::copy(dtype, Dims::filled(v.type.has_shape ? static_cast<int>(v.type.shape.size()) : 0, 1), bytes));
  };
  std::vector<ValueId> state(inputs.begin() + 2, inputs.end()), results;
  std::vector<std::vector<ValueId>> stacks(stacked);
  for (int64_t i = 0; i < count; ++i) {
    const uint8_t yes = 1;
    std::vector<ValueId> all{constant(0, DType::i64, &i), constant(1, DType::boolean, &yes)};
    all.insert(all.end(), state.begin(), state.end());
    Scope inner = scope->of_body(nullptr);
    ANYDIM_TRY(import_inside(*body, all, &inner, &results).at(where));
    for (size_t s = 0; s < stacked; ++s) stacks[s].push_back(results[1 + carried + s]);
    state.assign(results.begin() + 1, results.begin() + 1 + static_cast<std::ptrdiff_t>(carried));
    int64_t goes_on = 0;
    if (is_composite(results[0]) || !number_of(graph, results[0], &goes_on))
      return unimplemented("{}: it carries sequences, and only a run knows whether it goes on; expected a constant condition", where);
    if (goes_on != 0) continue;
    if (inputs[1] == kNoValue)
      return unimplemented("{}: it has no condition, but its body gives one that is false: ONNX ignores that one and runtimes do not",
                           where);
    break;
  }
  int64_t opset = 0;
  ANYDIM_TRY(opset_of(*scope, node.domain, &opset).at(where));
  NodeImport n(graph, node, opset, {}, scope->bindings, bytes_, &external_);
  n.all_texts = &texts_;
  n.moves_texts = true;
  for (size_t s = 0; s < stacked; ++s) {
    const std::vector<ValueId>& rows = stacks[s];
    if (rows.empty()) {
      ANYDIM_TRY(empty_stack(body->output[1 + carried + s], &graph, &state.emplace_back(kNoValue)).at(where));
      continue;
    }
    if (std::any_of(rows.begin(), rows.end(), is_composite))
      return error(Code::invalid_model, "{}: output {} of its body is stacked, and no tensor", where, 1 + carried + s);
    state.push_back(stacked_parts(n, rows));
    if (!n.ok()) return n.take_status();
  }
  return take_results(node, inputs, state, scope);
}

// --- SequenceMap -----------------------------------------------------------------------------------------------------

Status ModelImport::import_sequence_map(NodeImport& n, const std::vector<ValueId>& inputs, Scope* scope) {
  const NodeProto& node = n.proto();
  const std::string where = NodeImport::label(node);
  BodyProto body;
  ANYDIM_TRY(body_of(node, "body", &body));
  const auto is_sequence = [&](ValueId v) { return is_composite(v) && composites_.at(v).kind == Composite::Kind::sequence; };
  if (inputs.empty() || !is_sequence(inputs[0])) return error(Code::invalid_model, "{}: input 0 is no sequence", where);
  if (body->input.size() != inputs.size() || body->output.size() < node.output.size())
    return error(Code::invalid_model, "{}: its body has {} inputs and {} outputs; expected {} and {}", where, body->input.size(),
                 body->output.size(), inputs.size(), node.output.size());
  bool stacked = false;
  size_t count = 0;
  for (const ValueId v : inputs) {
    if (v == kNoValue) return error(Code::invalid_model, "{}: an input is absent", where);
    if (!is_sequence(v)) continue;
    const Composite& c = composites_.at(v);
    if (c.grows >= 0)
      return unimplemented(
          "{}: it reads a sequence to which its loop appends, and only a run knows how often; expected a loop whose count is a constant, "
          "up to 256",
          where);
    stacked = stacked || c.stacked != kNoValue;
    if (v == inputs[0]) count = c.parts.size();
    else if (!stacked && c.parts.size() != count)
      return error(Code::invalid_model, "{}: its sequences have {} and {} elements", where, count, c.parts.size());
  }
  std::vector<ValueId> inputs_of_part;
  if (!stacked) {
    std::vector<Composite> made(body->output.size());
    for (size_t i = 0; i < count; ++i) {
      inputs_of_part.clear();
      for (const ValueId v : inputs) inputs_of_part.push_back(is_sequence(v) ? composites_.at(v).parts[i] : v);
      std::vector<ValueId> results;
      Scope inner = scope->of_body(nullptr);
      ANYDIM_TRY(import_inside(*body, inputs_of_part, &inner, &results).at(where));
      for (size_t o = 0; o < results.size(); ++o) {
        if (is_composite(results[o])) return error(Code::invalid_model, "{}: output {} of its body is no tensor", where, o);
        made[o].parts.push_back(results[o]);
        made[o].dtype = scope->graph->value(results[o]).type.dtype;
        made[o].texts = holds_texts(*scope->graph, results[o]);
      }
    }
    std::vector<ValueId> all;
    for (Composite& c : made) all.push_back(composites_.add(std::move(c)));
    return take_results(node, inputs, all, scope);
  }
  LoopParts parts;
  std::vector<ValueId> around;  // by input; kNoValue for a sequence
  for (size_t i = 0; i < inputs.size(); ++i) {
    around.push_back(is_sequence(inputs[i]) ? kNoValue : inputs[i]);
    if (!is_sequence(inputs[i])) continue;
    const ValueId rows = stacked_sequence(n, composites_.at(inputs[i]));
    if (!n.ok()) return n.take_status();
    if (!parts.slices.empty()) n.require_equal(n.dims(rows)[0], n.dims(parts.slices[0].value)[0], "elements of a sequence");
    parts.slices.push_back({rows, 0, false});
    parts.names.emplace_back(body->input[i].name);
  }
  if (!n.ok()) return n.take_status();
  parts.stacks.resize(body->output.size());
  for (Control::Stack& stack : parts.stacks) stack.of_sequence = true;
  const WriteBody write = [&](Border& border, std::span<const ValueId> values, std::vector<ValueId>* results) -> Status {
    Scope inner = scope->of_body(&border);
    inner.repeats = true;
    std::vector<ValueId> all;
    size_t next = 0;
    for (const ValueId v : around) all.push_back(v == kNoValue ? values[next++] : bring_inside(inner, v));
    ANYDIM_TRY(import_inside(*body, all, &inner, results).at(where));
    for (const ValueId v : *results)
      if (is_composite(v)) return error(Code::invalid_model, "{}: an output of its body is no tensor", where);
    return {};
  };
  auto made = add_text_loop(node, *scope, parts, texts_declared(*body, 0), write);
  if (!made.ok()) return made.take_status();
  std::vector<ValueId> all;
  for (const ValueId v : *made) {
    Composite c;
    c.dtype = scope->graph->value(v).type.dtype;
    c.texts = holds_texts(*scope->graph, v);
    c.stacked = v;
    all.push_back(composites_.add(std::move(c)));
  }
  return take_results(node, inputs, all, scope);
}

}  // namespace anydim::onnx
