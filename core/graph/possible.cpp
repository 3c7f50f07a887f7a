// SPDX-License-Identifier: Apache-2.0
// See possible.h. Sizes that guards hold equal are written the same way, and every shape rule is asked again.
#include "core/graph/possible.h"

#include <algorithm>

#include "core/graph/infer.h"
#include "core/tensor/dim_rebuild.h"

namespace anydim {

namespace {

class Check {
 public:
  explicit Check(Graph& graph) : graph_(graph), pool_(graph.dims), now_(graph.dims) {}

  Status run() {
    for (const Guard& g : graph_.guards) {
      const Dim holds = now_(g.condition);
      if (holds.is_number() && holds.number() != 1) return never_holds(g);
    }
    for (NodeId id : graph_.order())
      if (const Node& n = graph_.node(id); n.op->kind() != kControlFlow) ANYDIM_TRY(check(n));
    return {};
  }

 private:
  // What a node reads, as all guards together have it.
  struct Read {
    std::vector<TensorType> in;
    std::vector<Dim> attributes;
    std::vector<Dim> changed;  // dims that were written otherwise
  };
  Read read_by(const Node& n) {
    Read r{graph_.input_types(n), {n.op->dim_attributes().begin(), n.op->dim_attributes().end()}, {}};
    const auto simplify = [&](std::span<Dim> dims) {
      for (Dim& d : dims) {
        const Dim simple = now_(d);
        if (!(simple == d)) r.changed.push_back(d);
        d = simple;
      }
    };
    simplify(r.attributes);
    for (TensorType& t : r.in) simplify({t.dims.begin(), t.dims.end()});
    return r;
  }

  // The shape rule, where it may have another answer than before.
  Status check(const Node& n) {
    const Read r = read_by(n);
    if (r.changed.empty()) return {};
    std::vector<TensorType> out(n.outputs.size());
    OperatorPtr op = r.attributes.empty() ? n.op : n.op->with_dim_attributes(r.attributes);
    if (!op) op = n.op;
    const Status s = infer_quantized(*op, n.quantization.get(), pool_, r.in, out);
    return s.ok() ? Status{} : refused(Graph::label(n), n.name, s.message(), r.changed, Code::invalid_model);
  }

  Status never_holds(const Guard& g) {
    std::vector<Dim> about{g.condition};
    if (const Node* n = named(g.node)) {
      const Read r = read_by(*n);
      about.insert(about.end(), r.changed.begin(), r.changed.end());
    }
    return refused(label_of(g.node), g.node, g.message, about, code_of(g));
  }

  // With the guards that are assumed of the same symbols: they are what contradicts.
  Status refused(const std::string& label, const std::string& name, std::string_view why, std::span<const Dim> about, Code code) {
    std::vector<int32_t> symbols;
    for (Dim d : about)
      for (int32_t s : pool_.symbols(d)) symbols.push_back(s);
    std::string others;
    int count = 0;
    for (const Guard& g : graph_.guards) {
      if (!now_(g.condition).is(1)) continue;
      const std::vector<int32_t> of = pool_.symbols(g.condition);
      if (std::none_of(of.begin(), of.end(), [&](int32_t s) { return std::count(symbols.begin(), symbols.end(), s) > 0; })) continue;
      if (code_of(g) == Code::unimplemented) code = Code::unimplemented;
      if (g.node == name) continue;
      if (count++ < kMostNamed) others += formatted("; of node '{}', {}", label_of(g.node), g.message);
    }
    return error(code, "{}: no dims let it run: {}{}", label, why, others).in_node(name);
  }

  // Of dims that ONNX allows and a guard does not, the model is not wrong.
  static Code code_of(const Guard& g) { return g.allowed.is(0) ? Code::invalid_model : Code::unimplemented; }

  const Node* named(const std::string& name) const {
    const auto at = std::find_if(graph_.order().begin(), graph_.order().end(), [&](NodeId id) { return graph_.node(id).name == name; });
    return at != graph_.order().end() ? &graph_.node(*at) : nullptr;
  }
  std::string label_of(const std::string& name) const {
    const Node* n = named(name);
    return n != nullptr ? Graph::label(*n) : name;
  }

  static constexpr int kMostNamed = 3;
  Graph& graph_;
  DimPool& pool_;
  Rebuilding now_;
};

}  // namespace

Status check_possible(Graph& graph) { return graph.guards.empty() ? Status{} : Check(graph).run(); }

}  // namespace anydim
