// SPDX-License-Identifier: Apache-2.0
// Claiming parts; see claims.h.
#include "core/graph/passes/claims.h"

#include <algorithm>

#include "core/dispatch/primitive/checked_call.h"
#include "core/engines/engine_graph.h"
#include "core/graph/control_flow.h"
#include "core/ops/part.h"

namespace anydim {

namespace {

// Values of constants that an engine sees before it has claimed anything: those that decide, such as scales. Weights that are made when they
// are asked for first would be made for this alone.
constexpr int64_t kMostShownBytes = 4096;

// Nodes of a graph as an EngineGraph.
class Shown {
 public:
  explicit Shown(const Graph& graph) : graph_(graph), numbers_(static_cast<size_t>(graph.value_count()), -1) {}

  int32_t number(ValueId v) {
    if (v == kNoValue) return -1;
    int32_t& number = numbers_[static_cast<size_t>(v)];
    if (number < 0) {
      number = static_cast<int32_t>(view.values.size());
      const Value& value = graph_.value(v);
      view.values.push_back({value.type, value.constant != nullptr, nullptr});
      ids.push_back(v);
    }
    return number;
  }
  std::vector<int32_t> numbers(const std::vector<ValueId>& values) {
    std::vector<int32_t> all;
    for (const ValueId v : values) all.push_back(number(v));
    return all;
  }
  void add(const Node& n, bool offered) {
    EngineGraph::Operation shown{n.name, nullptr, numbers(n.inputs), numbers(n.outputs), offered};
    if (n.op->kind() != kControlFlow && n.op->kind() != kPart && !n.quantization) shown.op = n.op.get();
    view.nodes.push_back(std::move(shown));
  }
  void show_constants(int64_t most_bytes) {
    for (size_t i = 0; i < ids.size(); ++i)
      if (const ConstantPtr& c = graph_.value(ids[i]).constant; c && c->bytes() <= most_bytes) view.values[i].data = c->address();
  }

  EngineGraph view;
  std::vector<ValueId> ids;  // by number

 private:
  const Graph& graph_;
  std::vector<int32_t> numbers_;  // by value; -1: none yet
};

// Some nodes of a graph.
class NodeSet {
 public:
  explicit NodeSet(const Graph& graph, const std::vector<NodeId>& nodes = {}) : has_(static_cast<size_t>(graph.node_capacity())) {
    for (const NodeId id : nodes) has_[static_cast<size_t>(id)] = true;
  }
  bool has(NodeId id) const { return id >= 0 && has_[static_cast<size_t>(id)]; }
  // False: it has it already.
  bool add(NodeId id) { return !has(id) && (has_[static_cast<size_t>(id)] = true); }

 private:
  std::vector<bool> has_;
};

// The nodes of one part, in the graph's order, with what passes its edge.
struct Taken {
  std::vector<NodeId> nodes;
  std::vector<ValueId> inputs, outputs;
};

class Claims {
 public:
  Claims(Graph& graph, const Engine& engine, int32_t number) : graph_(graph), engine_(engine), number_(number) {}

  Status run() {
    const std::vector<NodeId> order(graph_.order().begin(), graph_.order().end());
    Shown all(graph_);
    for (const NodeId id : order) all.add(graph_.node(id), offered(graph_.node(id)));
    all.view.inputs = all.numbers({graph_.inputs().begin(), graph_.inputs().end()});
    for (const GraphOutput& o : graph_.outputs()) all.view.outputs.push_back(all.number(o.value));
    all.show_constants(kMostShownBytes);
    std::vector<int32_t> parts(order.size(), 0);
    ANYDIM_TRY(engine_.claim(all.view, parts));
    std::vector<std::vector<NodeId>> by_part(order.size() + 1);
    for (size_t i = 0; i < order.size(); ++i) {
      const Node& n = graph_.node(order[i]);
      if (parts[i] < 0 || static_cast<size_t>(parts[i]) > order.size())
        return wrong(formatted("node {} is in part {}; expected 0 to {}", Graph::label(n), parts[i], order.size()));
      if (parts[i] > 0 && !all.view.nodes[i].offered) return wrong(formatted("node {} was not offered", Graph::label(n)));
      by_part[static_cast<size_t>(parts[i])].push_back(order[i]);
    }
    for (size_t part = 1; part < by_part.size(); ++part)
      if (!by_part[part].empty()) ANYDIM_TRY(take(std::move(by_part[part])));
    return {};
  }

 private:
  Status wrong(std::string_view what) const { return error(Code::internal, "what engine {} claims: {}", engine_.kind(), what); }

  // Its results follow from its operands' dims alone, and nothing else reads or writes what it has.
  bool offered(const Node& n) {
    const OpKind kind = n.op->kind();
    if (n.engine != 0 || kind == kControlFlow || kind == kPart || kind == OpKind::append || n.quantization || n.post_ops.count > 0)
      return false;
    for (const Dim d : n.op->dim_attributes())
      if (!d.is_number()) return false;
    const auto reads = graph_.size_reads();
    for (const std::vector<ValueId>* list : {&n.inputs, &n.outputs})
      for (const ValueId v : *list) {
        if (v == kNoValue) continue;
        const TensorType& type = graph_.value(v).type;
        if (dtype_is_narrow(type.dtype)) return false;
        for (const Dim d : type.dims)
          if (graph_.stage(d) > 0) return false;
        if (std::any_of(reads.begin(), reads.end(), [&](const SizeRead& r) { return r.value == v; })) return false;
      }
    std::vector<TensorType> results(n.outputs.size());
    return n.op->infer(graph_.dims, graph_.input_types(n), results).ok() &&
           std::equal(results.begin(), results.end(), n.outputs.begin(), [&](const TensorType& t, ValueId v) {
             const TensorType& known = graph_.value(v).type;
             return t.dtype == known.dtype && t.dims.rank == known.dims.rank;
           });
  }

  Status take(std::vector<NodeId> nodes) {
    Taken taken = edge_of(std::move(nodes));
    const std::string name = name_of(taken);
    if (taken.outputs.empty()) return {};  // nothing reads it
    if (taken.inputs.size() > kMaxInputs || taken.outputs.size() > kMaxOutputs)
      return wrong(formatted("part {} has {} inputs and {} results; at most {} and {} are supported", name, taken.inputs.size(),
                             taken.outputs.size(), kMaxInputs, kMaxOutputs));
    if (const Node* between = outside_between(taken))
      return wrong(formatted("node {} is outside of part {}; it reads a result of the part, and the part reads what follows from it",
                             Graph::label(*between), name));
    return compile(taken, name);
  }

  Taken edge_of(std::vector<NodeId> nodes) const {
    const NodeSet members(graph_, nodes);
    Taken taken;
    for (const NodeId id : nodes) {
      for (const ValueId v : graph_.node(id).inputs)
        if (v != kNoValue && !graph_.value(v).constant && !members.has(graph_.value(v).producer) &&
            std::find(taken.inputs.begin(), taken.inputs.end(), v) == taken.inputs.end())
          taken.inputs.push_back(v);
      for (const ValueId v : graph_.node(id).outputs) {
        const std::vector<NodeId>& users = graph_.value(v).users;
        if (graph_.is_output(v) || std::any_of(users.begin(), users.end(), [&](NodeId user) { return !members.has(user); }))
          taken.outputs.push_back(v);
      }
    }
    taken.nodes = std::move(nodes);
    return taken;
  }

  std::string name_of(const Taken& t) const {
    const std::string &first = graph_.node(t.nodes.front()).name, &last = graph_.node(t.nodes.back()).name;
    return t.nodes.size() == 1 ? first : first + ".." + last;
  }

  // A node outside that reads, maybe through others, a result of the part, and that the part reads.
  const Node* outside_between(const Taken& t) const {
    const NodeSet members(graph_, t.nodes);
    NodeSet seen(graph_);
    std::vector<NodeId> open;
    const auto meet = [&](ValueId v) {
      for (const NodeId user : graph_.value(v).users)
        if (!members.has(user) && seen.add(user)) open.push_back(user);
    };
    for (const ValueId v : t.outputs) meet(v);
    while (!open.empty()) {
      const Node& n = graph_.node(open.back());
      open.pop_back();
      for (const ValueId v : n.outputs) {
        if (v == kNoValue) continue;
        for (const NodeId user : graph_.value(v).users)
          if (members.has(user)) return &n;
        meet(v);
      }
    }
    return nullptr;
  }

  Status compile(const Taken& t, const std::string& name) {
    Shown shown(graph_);
    std::vector<Part::Member> members;
    for (const NodeId id : t.nodes) {
      shown.add(graph_.node(id), true);
      members.push_back({graph_.node(id).op, shown.view.nodes.back().in, shown.view.nodes.back().out});
    }
    shown.view.inputs = shown.numbers(t.inputs);
    shown.view.outputs = shown.numbers(t.outputs);
    shown.show_constants(INT64_MAX);
    const Kernel* kernel = nullptr;
    ExecutablePtr executable;
    if (Status s = engine_.compile(shown.view, &kernel, &executable); !s.ok())
      return s.code() == Code::unimplemented ? Status() : std::move(s).at(formatted("part {}", name));
    std::vector<TensorType> constants(shown.ids.size());
    for (size_t i = 0; i < constants.size(); ++i)
      if (graph_.value(shown.ids[i]).constant) constants[i] = shown.view.values[i].type;
    auto made = graph_.add_node(std::make_shared<Part>(std::move(members), std::move(constants), shown.view.inputs, shown.view.outputs),
                                t.inputs, name, "Part");
    if (!made.ok()) return made.take_status();
    Node& part = graph_.node(graph_.value((*made)[0]).producer);
    part.engine = number_;
    part.requested = graph_.node(t.nodes.front()).mode;
    part.mode = kernel->key().mode;
    part.kernel = kernel;
    part.executable = std::move(executable);
    hand_over(t, *made);
    put_in_order(part.id);
    return {};
  }

  // What the members were to their readers, the part is.
  void hand_over(const Taken& t, const std::vector<ValueId>& made) {
    for (size_t i = 0; i < made.size(); ++i) {
      const Value& from = graph_.value(t.outputs[i]);
      Value& to = graph_.value(made[i]);
      to.type = from.type;
      to.shape_values = from.shape_values;
      to.name = from.name;
      graph_.replace_uses(t.outputs[i], made[i]);
    }
    for (auto id = t.nodes.rbegin(); id != t.nodes.rend(); ++id) graph_.erase_node(*id);
  }

  // The part stands last: it comes before the first node that reads it, behind what it reads, and all others stay in their order.
  void put_in_order(NodeId part) {
    std::vector<NodeId> order, open;
    NodeSet done(graph_);
    const std::vector<NodeId> before(graph_.order().begin(), graph_.order().end());
    for (const NodeId next : before) {
      if (next == part && done.has(part)) continue;
      open.push_back(next);
      while (!open.empty()) {
        const NodeId id = open.back();
        const Node& n = graph_.node(id);
        const size_t waiting = open.size();
        for (const std::vector<ValueId>* list : {&n.inputs, &n.post_inputs})
          for (const ValueId v : *list)
            if (const Node* from = graph_.producer(v); from != nullptr && !done.has(from->id)) open.push_back(from->id);
        if (open.size() > waiting) continue;
        open.pop_back();
        if (done.add(id)) order.push_back(id);
      }
    }
    graph_.set_order(std::move(order));
  }

  Graph& graph_;
  const Engine& engine_;
  const int32_t number_;
};

}  // namespace

Status claim_parts(Graph& graph, std::span<const EnginePtr> engines, size_t last) {
  for (size_t e = 1; e < std::min(last, engines.size()); ++e)
    if (engines[e]->claims()) ANYDIM_TRY(Claims(graph, *engines[e], static_cast<int32_t>(e)).run().at("claims"));
  return {};
}

}  // namespace anydim
