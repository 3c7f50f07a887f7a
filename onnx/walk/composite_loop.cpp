// SPDX-License-Identifier: Apache-2.0
// Loops that carry sequences and optionals, and SequenceMap. A short loop of a known count is unrolled; otherwise a sequence to which the
// body only appends becomes a stack, and the tensors of any other one are carried one by one, so its length has to stay.
// docs/decisions/076-sequences-are-taken-apart.md says why.
#include <algorithm>

#include "onnx/walk/model_import.h"

namespace anydim::onnx {
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

}  // namespace

// A loop that is not unrolled.
class ModelImport::CompositeLoop {
 public:
  CompositeLoop(ModelImport& import, const NodeProto& node, const GraphProto& body, const std::vector<ValueId>& inputs, Scope* scope)
      : import_(import),
        node_(node),
        body_(body),
        inputs_(inputs),
        scope_(scope),
        where_(NodeImport::label(node)),
        stacked_(body.output.size() - 1 - (inputs.size() - 2)) {}

  Status run() {
    ANYDIM_TRY(import_.opset_of(*scope_, node_.domain, &opset_).at(where_));
    parts_.count = inputs_[0];
    parts_.condition = inputs_[1];
    parts_.has_condition = true;
    parts_.iteration_rank = rank_of(0);
    parts_.names.emplace_back(body_.input[0].name);
    for (size_t k = 0; k + 2 < inputs_.size(); ++k) ANYDIM_TRY(read_carried(k));
    const auto grows = [](const Carried& c) { return c.way == Way::grows; };
    parts_.stacks.resize(stacked_ + static_cast<size_t>(std::ranges::count_if(carried_, grows)));
    for (size_t s = stacked_; s < parts_.stacks.size(); ++s) parts_.stacks[s].of_sequence = true;
    std::vector<bool> string_stacks = strings_declared(body_, 1 + carried_.size());
    for (const Carried& c : carried_)
      if (grows(c)) string_stacks.push_back(composites().at(c.initial).strings);
    const WriteBody write = [this](Border& border, std::span<const ValueId> values, std::vector<ValueId>* results) {
      return write_body(border, values, results);
    };
    auto made = import_.add_string_loop(node_, *scope_, parts_, string_stacks, write);
    if (!made.ok()) return made.take_status();
    std::vector<ValueId> results;
    ANYDIM_TRY(values_behind(*made, &results));
    return import_.take_results(node_, inputs_, results, scope_);
  }

 private:
  // What the body does with a carried value.
  enum class Way : uint8_t {
    tensor,  // it is one
    kept,    // the body returns it as it came
    grows,   // the body appends to it
    apart,   // anything else: its tensors are carried
  };
  struct Carried {
    ValueId initial;
    Way way;
    size_t inserted = 0;   // grows: how often an iteration appends
    int32_t growing = -1;  // grows: Composite::grows inside the body
  };

  Composites& composites() { return import_.composites_; }
  int rank_of(size_t input) const {
    const auto& type = body_.input[input].type;
    return type.has_shape ? static_cast<int>(type.shape.size()) : 0;
  }
  void allow_strings(NodeImport& n) {
    n.all_strings = &import_.strings_;
    n.moves_strings = true;
  }

  Status read_carried(size_t k) {
    const ValueId initial = inputs_[k + 2];
    Carried c{initial, Way::tensor};
    if (!is_composite(initial)) {
      const Graph& graph = *scope_->graph;
      ANYDIM_TRY(import_.declared_type(body_, k + 2, graph.value(initial).type.dtype, import_.holds_strings(graph, initial)).at(where_));
    } else {
      const bool own = origin_of(body_, body_.output[1 + k].name, &c.inserted) == body_.input[k + 2].name;
      c.way = !own ? Way::apart : c.inserted == 0 ? Way::kept : Way::grows;
      if (c.way == Way::grows) c.growing = composites().new_growing();
    }
    carried_.push_back(c);
    if (c.way == Way::kept || c.way == Way::grows) return {};
    apart_.push_back(initial);
    ANYDIM_TRY(import_.take_apart({initial}, &parts_.initial).at(where_));
    while (parts_.names.size() < parts_.initial.size() + 1) parts_.names.emplace_back(body_.input[k + 2].name);
    return {};
  }

  Status write_body(Border& border, std::span<const ValueId> values, std::vector<ValueId>* results) {
    Scope inner = scope_->of_body(&border);
    inner.repeats = true;
    const uint8_t yes = 1;
    std::vector<ValueId> inside{values[0],
                                border.inner().add_constant(std::string(body_.input[1].name),
                                                            ConstantTensor::copy(DType::boolean, Dims::filled(rank_of(1), 1), &yes))};
    const std::vector<ValueId> joined = import_.put_together(apart_, {values.begin() + 1, values.end()});
    size_t next = 0;
    for (const Carried& c : carried_) {
      if (c.way == Way::kept) {
        inside.push_back(import_.bring_inside(inner, c.initial));
      } else if (c.way == Way::grows) {
        Composite begun;
        begun.dtype = composites().at(c.initial).dtype;
        begun.strings = composites().at(c.initial).strings;
        begun.grows = c.growing;
        inside.push_back(composites().add(std::move(begun)));
      } else {
        inside.push_back(joined[next++]);
      }
    }
    std::vector<ValueId> found;
    ANYDIM_TRY(import_.import_inside(body_, inside, &inner, &found).at(where_));
    ANYDIM_TRY(tensors_of_results(border.inner(), found, joined, results));
    if (parts_.condition != kNoValue) return {};
    if (int64_t goes_on = 0; number_of(border.inner(), found[0], &goes_on) && goes_on != 0) return {};
    return unimplemented("{}: it has no condition, but its body gives one that may be false: ONNX ignores that one and runtimes do not",
                         where_);
  }

  // The condition, what is carried, stacked and appended. `found`: the body's outputs; `joined`: what it was given of those in apart_.
  Status tensors_of_results(Graph& graph, const std::vector<ValueId>& found, const std::vector<ValueId>& joined,
                            std::vector<ValueId>* results) {
    results->assign({found[0]});
    std::vector<ValueId> appended;
    size_t next = 0;
    NodeImport n(graph, node_, opset_, {}, scope_->bindings, import_.bytes_, &import_.external_);
    allow_strings(n);
    for (size_t k = 0; k < carried_.size(); ++k) {
      const Carried& c = carried_[k];
      const ValueId v = found[1 + k];
      if (c.way == Way::kept) continue;
      if (c.way == Way::grows) {
        if (!is_composite(v) || composites().at(v).grows != c.growing)
          return unimplemented(
              "{}: its body changes the sequence '{}' otherwise than by appending, and only a run knows how often; expected a loop whose "
              "count is a constant, up to 256",
              where_, shown(body_.input[k + 2].name));
        const std::vector<ValueId>& more = composites().at(v).parts;
        appended.push_back(more.size() == 1 ? more[0] : stacked_parts(n, more));
        if (!n.ok()) return n.take_status();
        continue;
      }
      if (!import_.alike(v, joined[next++]))
        return unimplemented(
            "{}: its sequence or optional '{}' gets another length, and only a run knows how often; expected a loop whose count is a "
            "constant, up to 256",
            where_, shown(body_.input[k + 2].name));
      ANYDIM_TRY(import_.take_apart({v}, results).at(where_));
    }
    for (size_t s = 0; s < stacked_; ++s) {
      const size_t output = 1 + carried_.size() + s;
      if (is_composite(found[output]))
        return error(Code::invalid_model, "{}: output {} of its body is stacked, and no tensor", where_, output);
      results->push_back(found[output]);
    }
    results->insert(results->end(), appended.begin(), appended.end());
    return {};
  }

  // The node's outputs of what add_string_loop() made: what is carried, then stacks, those of growing sequences last.
  Status values_behind(const std::vector<ValueId>& made, std::vector<ValueId>* all) {
    const auto stacks = made.begin() + static_cast<std::ptrdiff_t>(parts_.initial.size());
    const auto own_stacks_end = stacks + static_cast<std::ptrdiff_t>(stacked_);
    const std::vector<ValueId> carried_on = import_.put_together(apart_, {made.begin(), stacks});
    NodeImport n(*scope_->graph, node_, opset_, {}, scope_->bindings, import_.bytes_, &import_.external_);
    allow_strings(n);
    auto next = carried_on.begin();
    auto appended = own_stacks_end;
    for (const Carried& c : carried_) {
      if (c.way == Way::kept) all->push_back(c.initial);
      else if (c.way == Way::grows) all->push_back(grown(n, c, *appended++));
      else all->push_back(*next++);
      if (!n.ok()) return n.take_status();
    }
    all->insert(all->end(), stacks, own_stacks_end);
    return {};
  }

  // A sequence with the rows that the loop appended: [iterations, ...], with several in one iteration [iterations, inserted, ...].
  ValueId grown(NodeImport& n, const Carried& c, ValueId rows) {
    if (c.inserted > 1) {
      SymDims dims = n.dims(rows);
      dims[1] = n.pool().mul(dims[0], dims[1]);
      dims.erase(0);
      rows = n.reshape(rows, dims);
    }
    const Composite& before = composites().at(c.initial);
    if (before.stacked != kNoValue || !before.parts.empty()) rows = joined(n, stacked_sequence(n, before), rows);
    if (!n.ok()) return kNoValue;
    Composite sequence;
    sequence.dtype = n.dtype(rows);
    sequence.strings = n.is_string(rows);
    sequence.stacked = rows;
    return composites().add(std::move(sequence));
  }

  ModelImport& import_;
  const NodeProto& node_;
  const GraphProto& body_;
  const std::vector<ValueId>& inputs_;
  Scope* const scope_;
  const std::string where_;
  const size_t stacked_;  // outputs that the model stacks
  int64_t opset_ = 0;
  LoopParts parts_;
  std::vector<Carried> carried_;
  std::vector<ValueId> apart_;  // what is carried as tensors, in order
};

Status ModelImport::import_composite_loop(const NodeProto& node, const BodyProto& body, const std::vector<ValueId>& inputs, Scope* scope) {
  const std::string where = NodeImport::label(node);
  const size_t carried = inputs.size() - 2;
  if (body->input.size() != carried + 2 || body->output.size() < carried + 1 || body->output.size() - 1 < node.output.size())
    return error(Code::invalid_model, "{}: its body has {} inputs and {} outputs; it carries {} values", where, body->input.size(),
                 body->output.size(), carried);
  for (size_t k = 0; k < carried; ++k)
    if (inputs[k + 2] == kNoValue)
      return error(Code::invalid_model, "{}: the first value of what it carries, input {}, is absent", where, k + 2);
  ANYDIM_TRY(declared_type(*body, 0, DType::i64).at(where));
  ANYDIM_TRY(declared_type(*body, 1, DType::boolean).at(where));
  const Graph& graph = *scope->graph;
  int64_t count = 0, begins = 1;
  const bool known = inputs[0] != kNoValue && number_of(graph, inputs[0], &count) && count <= kMostUnrolled &&
                     (inputs[1] == kNoValue || number_of(graph, inputs[1], &begins)) && condition_is_known(*body);
  if (known) return unroll_loop(node, body, begins != 0 ? count : 0, inputs, scope);
  return CompositeLoop(*this, node, *body, inputs, scope).run();
}

// What a loop that never runs gives: a stack of no elements, of the dims that its body declares, 0 for those that it does not.
Status ModelImport::empty_stack(const ValueInfo& output, Graph* graph, ValueId* to) {
  const bool strings = output.type.element_type == kString && strings_.allowed();
  const Result<DType> dtype = strings ? Result<DType>(DType::i64) : dtype_of(output.type.element_type);
  if (!output.type.has_shape || output.type.shape.size() >= static_cast<size_t>(kMaxRank) || !dtype.ok())
    return unimplemented("it never runs, and its body declares no type of output '{}', which it stacks; expected element type and dims",
                         shown(output.name));
  Dims dims{0};
  for (const Dimension& d : output.type.shape) dims.push_back(d.has_value ? std::max<int64_t>(d.value, 0) : 0);
  *to = graph->add_constant(std::string(output.name), ConstantTensor::copy(*dtype, dims, nullptr));
  if (strings) strings_.mark(*graph, *to, ModelStrings::Known::all);
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
  n.all_strings = &strings_;
  n.moves_strings = true;
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
  return stacked ? map_by_loop(n, *body, inputs, scope) : map_one_by_one(node, *body, inputs, count, scope);
}

// A body per element, in this graph.
Status ModelImport::map_one_by_one(const NodeProto& node, const GraphProto& body, const std::vector<ValueId>& inputs, size_t count,
                                   Scope* scope) {
  const std::string where = NodeImport::label(node);
  std::vector<Composite> made(body.output.size());
  std::vector<ValueId> inputs_of_part, results;
  for (size_t i = 0; i < count; ++i) {
    inputs_of_part.clear();
    for (const ValueId v : inputs) inputs_of_part.push_back(is_sequence(v) ? composites_.at(v).parts[i] : v);
    Scope inner = scope->of_body(nullptr);
    results.clear();
    ANYDIM_TRY(import_inside(body, inputs_of_part, &inner, &results).at(where));
    for (size_t o = 0; o < results.size(); ++o) {
      if (is_composite(results[o])) return error(Code::invalid_model, "{}: output {} of its body is no tensor", where, o);
      made[o].parts.push_back(results[o]);
      made[o].dtype = scope->graph->value(results[o]).type.dtype;
      made[o].strings = holds_strings(*scope->graph, results[o]);
    }
  }
  std::vector<ValueId> all;
  for (Composite& c : made) all.push_back(composites_.add(std::move(c)));
  return take_results(node, inputs, all, scope);
}

// A loop over the rows of sequences of which only a run knows how long they are.
Status ModelImport::map_by_loop(NodeImport& n, const GraphProto& body, const std::vector<ValueId>& inputs, Scope* scope) {
  const NodeProto& node = n.proto();
  const std::string where = NodeImport::label(node);
  LoopParts parts;
  std::vector<ValueId> around;  // by input; kNoValue for a sequence
  for (size_t i = 0; i < inputs.size(); ++i) {
    around.push_back(is_sequence(inputs[i]) ? kNoValue : inputs[i]);
    if (!is_sequence(inputs[i])) continue;
    const ValueId rows = stacked_sequence(n, composites_.at(inputs[i]));
    if (!n.ok()) return n.take_status();
    if (!parts.slices.empty()) n.require_equal(n.dims(rows)[0], n.dims(parts.slices[0].value)[0], "elements of a sequence");
    parts.slices.push_back({rows, 0, false});
    parts.names.emplace_back(body.input[i].name);
  }
  if (!n.ok()) return n.take_status();
  parts.stacks.resize(body.output.size());
  for (Control::Stack& stack : parts.stacks) stack.of_sequence = true;
  const WriteBody write = [&](Border& border, std::span<const ValueId> values, std::vector<ValueId>* results) -> Status {
    Scope inner = scope->of_body(&border);
    inner.repeats = true;
    std::vector<ValueId> all;
    size_t next = 0;
    for (const ValueId v : around) all.push_back(v == kNoValue ? values[next++] : bring_inside(inner, v));
    ANYDIM_TRY(import_inside(body, all, &inner, results).at(where));
    for (const ValueId v : *results)
      if (is_composite(v)) return error(Code::invalid_model, "{}: an output of its body is no tensor", where);
    return {};
  };
  const int depth = depth_;
  auto made = add_string_loop(node, *scope, parts, strings_declared(body, 0), write);
  std::vector<ValueId> all;
  if (!made.ok() && impossible_ && split_ == nullptr) {  // right where there is no element
    depth_ = depth;
    Status why = made.take_status();
    const Dim runs = n.pool().less(0, n.dims(parts.slices[0].value)[0]);
    if (runs.is(1)) return why;
    require_idle(runs, node, why, scope->graph);
    for (const ValueInfo& output : body.output) {
      ValueId none = kNoValue;
      ANYDIM_TRY(empty_stack(output, scope->graph, &none).at(where));
      Composite c;
      c.dtype = n.dtype(none);
      c.strings = holds_strings(*scope->graph, none);
      c.stacked = none;
      all.push_back(composites_.add(std::move(c)));
    }
    return take_results(node, inputs, all, scope);
  }
  if (!made.ok()) return made.take_status();
  for (const ValueId v : *made) {
    Composite c;
    c.dtype = scope->graph->value(v).type.dtype;
    c.strings = holds_strings(*scope->graph, v);
    c.stacked = v;
    all.push_back(composites_.add(std::move(c)));
  }
  return take_results(node, inputs, all, scope);
}

}  // namespace anydim::onnx
