// SPDX-License-Identifier: Apache-2.0
// Engines are chosen node by node, small islands go back to the host; then values are split: one for each engine that reads them. See
// partition.h.
#include "core/graph/passes/partition.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "core/dispatch/primitive/registry.h"
#include "core/graph/node_types.h"
#include "core/graph/passes/claims.h"
#include "core/graph/plan/strided_dims.h"
#include "core/ops/operators/transpose.h"
#include "core/ops/part.h"

namespace anydim {

namespace {

class Partitioner {
 public:
  Partitioner(Graph& graph, const PartitionOptions& options) : graph_(graph), options_(options) {}

  Status run() {
    if (!options_.choose)
      ANYDIM_TRY(claim_parts(graph_, options_.engines, options_.engines.size() - static_cast<size_t>(options_.behind_host)));
    ANYDIM_TRY(choose_engines());
    if (!options_.choose) {
      follow_conversions();
      return_index_arithmetic();
      dissolve_islands();
    }
    for (ValueId v = graph_.value_count(); v-- > 0;)
      if (graph_.value(v).constant) split_constant(v);
    const ValueId before = graph_.value_count();  // what follows makes more
    for (ValueId v = 0; v < before; ++v)
      if (!graph_.value(v).constant) ANYDIM_TRY(insert_transfers(v));
    order_transfers();
    return graph_.verify().at("after the partition");
  }

 private:
  bool can_run(int32_t engine, const Node& n) const {
    return has_kernel(*options_.engines[static_cast<size_t>(engine)], types_of(graph_, n).problem(n));
  }

  Status choose_engines() {
    const auto count = static_cast<int32_t>(options_.engines.size());
    for (NodeId id : graph_.order()) {
      Node& n = graph_.node(id);
      if (n.op->kind() == kPart) continue;
      n.engine = 0;
      if (n.op->kind() == kControlFlow) continue;  // branches and loops are the host's
      if (options_.choose) {
        n.engine = options_.choose(graph_, n);
        if (n.engine < 0 || n.engine >= count) return invalid("{} was given to engine {}; there are {}", Graph::label(n), n.engine, count);
        continue;
      }
      const int32_t preferred = count - options_.behind_host;
      for (int32_t e = 1; e < count && n.engine == 0; ++e) {
        if (e == preferred && can_run(0, n)) break;
        if (can_run(e, n)) n.engine = e;
      }
    }
    return {};
  }

  // The range of a tensor is found where the tensor is converted: elsewhere two numbers would have to come here for each.
  void follow_conversions() {
    for (NodeId id : graph_.order()) {
      Node& n = graph_.node(id);
      if (n.engine == 0 || n.op->kind() != OpKind::quantization_range || !can_run(0, n)) continue;
      int there = 0, elsewhere = 0;
      for (ValueId v : n.outputs)
        for (NodeId user : graph_.value(v).users) ++(graph_.node(user).engine == n.engine ? there : elsewhere);
      if (there == 0 && elsewhere > 0) n.engine = 0;
    }
  }

  // Nodes without a float among operands and results make positions, masks and sizes of others: they are small, and a launch costs a device
  // more than the host needs for all of it. They go back to the host as long as no copy more follows from it. In both directions, until
  // nothing moves: a chain goes from its end that the host has.
  void return_index_arithmetic() {
    const auto whole = [&](const Node& n) {
      const auto no_float = [&](ValueId v) { return v == kNoValue || !dtype_is_float(graph_.value(v).type.dtype); };
      const std::vector<ValueId> in = operands(n);
      return std::all_of(in.begin(), in.end(), no_float) && std::all_of(n.outputs.begin(), n.outputs.end(), no_float);
    };
    std::vector<NodeId> candidates;
    for (NodeId id : graph_.order()) {
      const Node& n = graph_.node(id);
      if (n.engine != 0 && whole(n) && can_run(0, n)) candidates.push_back(id);
    }
    for (bool moved = true; moved;) {
      moved = false;
      for (const NodeId id : candidates) {
        Node& n = graph_.node(id);
        if (n.engine == 0) continue;
        const int32_t there = n.engine;
        const int before = copies_around(n);
        n.engine = 0;
        if (copies_around(n) <= before) moved = true;
        else n.engine = there;
      }
      std::reverse(candidates.begin(), candidates.end());
    }
  }

  // Of the values that the node reads and makes.
  int copies_around(const Node& n) const {
    std::vector<ValueId> values = operands(n);
    values.insert(values.end(), n.outputs.begin(), n.outputs.end());
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    int copies = 0;
    for (const ValueId v : values)
      if (v != kNoValue && !graph_.value(v).constant) copies += copies_of(v);
    return copies;
  }
  int copies_of(ValueId v) const {
    const int32_t from = graph_.engine_of(v);
    std::vector<int32_t> to;
    for (const NodeId user : graph_.value(v).users)
      if (const int32_t e = graph_.node(user).engine; e != from) to.push_back(e);
    const auto reads = graph_.size_reads();
    if (from != 0 && (graph_.is_output(v) || std::any_of(reads.begin(), reads.end(), [&](const SizeRead& r) { return r.value == v; })))
      to.push_back(0);
    std::sort(to.begin(), to.end());
    to.erase(std::unique(to.begin(), to.end()), to.end());
    // From device to device through the host.
    const bool between = from != 0 && std::any_of(to.begin(), to.end(), [](int32_t e) { return e != 0; });
    return static_cast<int>(to.size()) + (between && to.front() != 0 ? 1 : 0);
  }

  // What nodes of one engine hand each other makes them one island.
  void dissolve_islands() {
    if (options_.smallest_island <= 1) return;
    std::vector<NodeId> root(static_cast<size_t>(graph_.node_capacity()));
    std::iota(root.begin(), root.end(), 0);
    const auto find = [&](NodeId id) {
      while (root[static_cast<size_t>(id)] != id)
        id = root[static_cast<size_t>(id)] = root[static_cast<size_t>(root[static_cast<size_t>(id)])];
      return id;
    };
    for (NodeId id : graph_.order())
      for (ValueId v : operands(graph_.node(id)))
        if (const Node* p = graph_.producer(v); p != nullptr && p->engine == graph_.node(id).engine)
          root[static_cast<size_t>(find(id))] = find(p->id);
    std::vector<int32_t> nodes(root.size(), 0);
    for (NodeId id : graph_.order()) ++nodes[static_cast<size_t>(find(id))];
    for (NodeId id : graph_.order()) {
      Node& n = graph_.node(id);
      if (n.engine != 0 && nodes[static_cast<size_t>(find(id))] < options_.smallest_island && can_run(0, n)) n.engine = 0;
    }
  }

  static std::vector<ValueId> operands(const Node& n) {
    std::vector<ValueId> all = n.inputs;
    all.insert(all.end(), n.post_inputs.begin(), n.post_inputs.end());
    return all;
  }

  void split_constant(ValueId v) {
    std::map<int32_t, ValueId> on;  // by engine
    const std::vector<NodeId> users = graph_.value(v).users;
    for (NodeId user : users) {
      const int32_t engine = graph_.node(user).engine;
      if (engine == 0) continue;
      ValueId& copy = on.try_emplace(engine, kNoValue).first->second;
      if (copy == kNoValue) copy = graph_.add_constant(graph_.value(v).name, graph_.value(v).constant);
      graph_.replace_operand(user, v, copy);
    }
  }

  // v as the engine has it.
  Result<ValueId> on_engine(ValueId v, int32_t engine) {
    if (engine == graph_.engine_of(v)) return v;
    ValueId& there = made_.try_emplace({v, engine}, kNoValue).first->second;
    if (there != kNoValue) return there;
    ValueId from = v;
    if (engine != 0 && graph_.engine_of(v) != 0) {  // from device to device through the host
      auto host = on_engine(v, 0);
      if (!host.ok()) return host;
      from = *host;
    }
    auto op = Transpose::make(row_major(graph_.value(v).type.dims.rank));
    if (!op.ok()) return op.take_status();
    const char* kind = options_.engines[static_cast<size_t>(engine)]->kind();
    auto made = graph_.add(*op, {from}, formatted("{}.on_{}", graph_.value(v).name, kind), "transfer");
    if (!made.ok()) return made;
    Node& n = graph_.node(graph_.value(*made).producer);
    n.engine = engine;
    n.transfer = true;
    behind_[from].push_back(n.id);
    return there = *made;
  }

  Status insert_transfers(ValueId v) {
    const std::vector<NodeId> users = graph_.value(v).users;
    for (NodeId user : users) {
      if (graph_.node(user).transfer) continue;
      auto there = on_engine(v, graph_.node(user).engine);
      if (!there.ok()) return there.take_status();
      if (*there != v) graph_.replace_operand(user, v, *there);
    }
    if (graph_.engine_of(v) == 0) return {};
    const auto reads = graph_.size_reads();
    const bool read = std::any_of(reads.begin(), reads.end(), [&](const SizeRead& r) { return r.value == v; });
    if (!read && !graph_.is_output(v)) return {};
    auto host = on_engine(v, 0);
    if (!host.ok()) return host.take_status();
    graph_.set_size_reads(v, *host);
    for (size_t i = 0; i < graph_.outputs().size(); ++i)
      if (graph_.outputs()[i].value == v) graph_.set_output(i, *host);
    return {};
  }

  void order_transfers() {
    if (made_.empty()) return;
    std::vector<NodeId> order;
    const auto append_behind = [&](auto& self, ValueId v) -> void {
      const auto found = behind_.find(v);
      if (found == behind_.end()) return;
      for (NodeId id : found->second) {
        order.push_back(id);
        self(self, graph_.node(id).outputs[0]);
      }
    };
    for (ValueId v : graph_.inputs()) append_behind(append_behind, v);
    for (NodeId id : graph_.order()) {
      if (graph_.node(id).transfer) continue;
      order.push_back(id);
      for (ValueId v : graph_.node(id).outputs) append_behind(append_behind, v);
    }
    graph_.set_order(std::move(order));
  }

  Graph& graph_;
  const PartitionOptions& options_;
  std::map<std::pair<ValueId, int32_t>, ValueId> made_;
  std::map<ValueId, std::vector<NodeId>> behind_;  // copies of a value
};

}  // namespace

Status partition(Graph& graph, const PartitionOptions& options) { return Partitioner(graph, options).run(); }

}  // namespace anydim
