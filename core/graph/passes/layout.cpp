// SPDX-License-Identifier: Apache-2.0
// Layout propagation by local search: start from what kernels prefer, then let each value take the order that costs
// its neighbours least, consumers first, until nothing changes. A few hundred values and a handful of candidates each.
#include "core/graph/passes/layout.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/graph/plan/strided_dims.h"
#include "core/ops/operators/matmul.h"
#include "core/ops/operators/reshape.h"
#include "core/ops/operators/softmax.h"
#include "core/ops/operators/transpose.h"

namespace anydim {
namespace {

using Key = std::pair<NodeId, std::vector<int32_t>>;
std::vector<int32_t> key_of(const Perm& p) { return {p.begin(), p.end()}; }

// Operators whose output lies in memory as their (equally ranked) inputs do, unless their kernel says otherwise.
bool follows(OpKind kind) { return has_trait(kind, Trait::keeps_order); }

class Propagation {
 public:
  Propagation(Graph& graph, const LayoutRequests& requests) : graph_(graph), requests_(requests) {
    for (ValueId v = 0; v < graph.value_count(); ++v) bytes_.push_back(bytes_at_reference(v));
    find_references();
  }

  Status run() {
    start();
    for (int sweep = 0; sweep < 12; ++sweep) {
      bool changed = false;
      const auto order = graph_.order();
      if (sweep % 2 == 0)
        for (size_t i = order.size(); i-- > 0;) changed |= improve_outputs(order[i]);
      else
        for (NodeId n : order) changed |= improve_outputs(n);
      for (size_t i = 0; i < graph_.inputs().size(); ++i)
        if (free_input(i)) changed |= improve(nullptr, graph_.inputs()[i]);
      if (!changed && sweep > 0) break;
    }
    normalize_ones();
    ANYDIM_TRY(insert_kernel_copies());
    ANYDIM_TRY(insert_output_copies());
    return insert_transfer_copies();
  }

 private:
  double bytes_at_reference(ValueId v) const {
    const TensorType& t = graph_.value(v).type;
    double n = static_cast<double>(dtype_size(t.dtype));
    for (Dim d : t.dims) {
      if (d.is_number() || static_cast<size_t>(d.expr()) < requests_.reference.size())
        n *= static_cast<double>(std::max<int64_t>(value_of(d, requests_.reference), 1));
    }
    return n;
  }
  const SymDims& dims(ValueId v) const { return graph_.value(v).type.dims; }
  const Perm& order(ValueId v) const { return graph_.value(v).order; }
  bool is_fixed(ValueId v) const { return graph_.value(v).producer == kNoNode; }

  Perm preferred(const Node& n, bool output, int index, ValueId v) const {
    if (!requests_.preferred) return {};
    const Perm p = requests_.preferred(n, output, index);
    return p.rank == dims(v).rank ? p : Perm{};
  }
  std::optional<Perm> through_reshape(const Node& n, bool forward, const Perm& from) {
    const ValueId a = forward ? n.inputs[0] : n.outputs[0], b = forward ? n.outputs[0] : n.inputs[0];
    auto& known = forward ? forward_ : backward_;
    const Key key{n.id, key_of(from)};
    if (const auto it = known.find(key); it != known.end()) return it->second;
    return known[key] = reshaped_order(graph_.dims, dims(a), from, dims(b));
  }

  // --- edges: what the caller asks for -----------------------------------------------------------------------------
  bool free_input(size_t i) const { return i < requests_.inputs.size() && requests_.inputs[i].rule == EdgeLayout::Rule::fastest; }
  bool free_output(size_t i) const { return i < requests_.outputs.size() && requests_.outputs[i].rule == EdgeLayout::Rule::fastest; }
  // Of the inputs that an output is computed from the one with most axes of more than one element, then the largest.
  void find_references() {
    std::vector<int32_t> of(static_cast<size_t>(graph_.value_count()), -1);  // by value
    const auto rank = [&](int32_t input) {
      const ValueId v = graph_.inputs()[static_cast<size_t>(input)];
      const auto axes = std::count_if(dims(v).begin(), dims(v).end(), [](Dim d) { return !d.is(1); });
      return std::pair(axes, bytes_[static_cast<size_t>(v)]);
    };
    for (size_t i = 0; i < graph_.inputs().size(); ++i) of[static_cast<size_t>(graph_.inputs()[i])] = static_cast<int32_t>(i);
    for (NodeId id : graph_.order()) {
      int32_t best = -1;
      const auto look_at = [&](ValueId v) {
        const int32_t input = v == kNoValue ? -1 : of[static_cast<size_t>(v)];
        if (input >= 0 && (best < 0 || rank(input) > rank(best))) best = input;
      };
      std::for_each(graph_.node(id).inputs.begin(), graph_.node(id).inputs.end(), look_at);
      std::for_each(graph_.node(id).post_inputs.begin(), graph_.node(id).post_inputs.end(), look_at);
      for (ValueId v : graph_.node(id).outputs)
        if (v != kNoValue) of[static_cast<size_t>(v)] = best;
    }
    for (size_t i = 0; i < graph_.outputs().size() && i < requests_.outputs.size(); ++i)
      if (requests_.outputs[i].rule == EdgeLayout::Rule::follow) graph_.set_followed(i, of[static_cast<size_t>(graph_.outputs()[i].value)]);
  }

  // The order that an output must have; of a free one, the order that its value has.
  Perm output_order(size_t i) const {
    const ValueId v = graph_.outputs()[i].value;
    const int rank = dims(v).rank;
    if (i >= requests_.outputs.size()) return row_major(rank);
    const EdgeLayout& edge = requests_.outputs[i];
    if (edge.rule == EdgeLayout::Rule::fastest) return order(v);
    if (edge.rule == EdgeLayout::Rule::follow) {
      const int32_t input = graph_.outputs()[i].follows;
      const ValueId in = input < 0 ? kNoValue : graph_.inputs()[static_cast<size_t>(input)];
      return in == kNoValue || same_order(dims(in), order(in), {}) ? row_major(rank) : order(v);
    }
    return edge.order.rank == rank ? edge.order : row_major(rank);
  }

  // --- start: producers' preferences, else the largest operand's order ------------------------------------------
  void start() {
    for (ValueId v = 0; v < graph_.value_count(); ++v) graph_.value(v).order = row_major(dims(v).rank);
    for (size_t i = 0; i < graph_.inputs().size(); ++i) {
      const ValueId v = graph_.inputs()[i];
      if (free_input(i)) graph_.value(v).order = preferred_by_users(v);
      else if (i < requests_.inputs.size() && requests_.inputs[i].order.rank == dims(v).rank)
        graph_.value(v).order = requests_.inputs[i].order;
    }
    for (NodeId id : graph_.order()) {
      const Node& n = graph_.node(id);
      for (size_t o = 0; o < n.outputs.size(); ++o) {
        const ValueId v = n.outputs[o];
        if (v == kNoValue) continue;
        Value& value = graph_.value(v);
        if (const Perm p = preferred(n, true, static_cast<int>(o), v); !p.empty()) {
          value.order = p;
        } else if (const auto* t = as<Transpose>(*n.op)) {
          value.order = transposed_order(order(n.inputs[0]), t->perm());
        } else if (n.op->kind() == OpKind::reshape) {
          if (const auto p = through_reshape(n, true, order(n.inputs[0]))) value.order = *p;
        } else if (follows(n.op->kind())) {
          double most = 0;
          for (ValueId in : n.inputs)
            if (in != kNoValue && !graph_.value(in).constant && dims(in).rank == dims(v).rank && bytes_[in] > most) {
              most = bytes_[in];
              value.order = order(in);
            }
        }
      }
    }
  }

  // What the first kernel that reads it prefers.
  Perm preferred_by_users(ValueId v) const {
    for (NodeId user : graph_.value(v).users) {
      const Node& n = graph_.node(user);
      for (size_t i = 0; i < n.inputs.size(); ++i)
        if (n.inputs[i] == v)
          if (const Perm p = preferred(n, false, static_cast<int>(i), v); !p.empty()) return p;
    }
    return row_major(dims(v).rank);
  }

  // --- cost ----------------------------------------------------------------------------------------------------------
  // Bytes that a wrong order moves: a copy reads and writes. A kernel that writes against its preference is worse than a copy
  // elsewhere. Other outer strides under the same innermost axis are nearly free: kernels take any outer strides.
  double mismatch(ValueId v, const Perm& requested) const {
    const Perm have = order_core(dims(v), order(v)), want = order_core(dims(v), requested);
    if (have == want) return 0;
    if (!have.empty() && have.back() == want.back()) return 0.25 * bytes_[v];
    return 3 * bytes_[v];
  }
  // Against a neighbour of the same rank that is walked in step with it (an element-wise operand). A copy, which goes tile by tile,
  // is better than a normalisation that goes along the rows of one side and across those of the other.
  double out_of_step(OpKind kind, ValueId v, ValueId out) const {
    if (same_order(dims(v), order(v), order(out))) return 0;
    return (kind == OpKind::layer_norm ? 3 : 2) * bytes_[v];
  }

  double cost(const Node& n) {
    double c = 0;
    const ValueId out = n.outputs[0];
    const OpKind kind = n.op->kind();
    for (size_t o = 0; o < n.outputs.size(); ++o)
      if (n.outputs[o] != kNoValue)
        if (const Perm p = preferred(n, true, static_cast<int>(o), n.outputs[o]); !p.empty()) c += mismatch(n.outputs[o], p);
    if (const auto* t = as<Transpose>(*n.op)) {
      if (t->is_identity() && !n.transfer) return c;
      return c + (same_order(dims(out), order(out), transposed_order(order(n.inputs[0]), t->perm())) ? 0 : 2 * bytes_[out]);
    }
    if (kind == OpKind::reshape) {
      const auto p = through_reshape(n, true, order(n.inputs[0]));
      return c + (p && same_order(dims(out), order(out), *p) ? 0 : 2 * bytes_[out]);
    }
    if (const auto* softmax = as<Softmax>(*n.op)) c += short_steps(*softmax, n.inputs[0]) + short_steps(*softmax, out);
    const bool out_free = preferred(n, true, 0, out).empty();
    for (size_t i = 0; i < n.inputs.size() + n.post_inputs.size(); ++i) {
      const bool post = i >= n.inputs.size();
      const ValueId v = post ? n.post_inputs[i - n.inputs.size()] : n.inputs[i];
      if (v == kNoValue || graph_.value(v).constant) continue;
      if (!post)
        if (const Perm p = preferred(n, false, static_cast<int>(i), v); !p.empty()) {
          c += mismatch(v, p);
          continue;
        }
      if (dims(v).rank != dims(out).rank) {
        if (!post && !follows(kind)) c += matmul_or_row_major(n, v);
      } else if (post || (follows(kind) && out_free)) {
        c += out_of_step(kind, v, out);
      } else if (!follows(kind)) {
        c += matmul_or_row_major(n, v);
      }
    }
    if (kind == OpKind::matmul && out_free && dims(out).rank > 1) {
      const Perm core = order_core(dims(out), order(out));
      if (!core.empty() && core.back() != dims(out).rank - 1) c += 2 * bytes_[out];
    } else if (!follows(kind) && out_free && kind != OpKind::matmul && !same_order(dims(out), order(out), {})) {
      c += 0.5 * bytes_[out];
    }
    return c;
  }
  // A softmax computes vectors of rows where its axis is not innermost; few of them do not fill one, which costs several copies.
  double short_steps(const Softmax& softmax, ValueId v) const {
    constexpr int64_t kVector = 16;
    const Perm core = order_core(dims(v), order(v));
    const int axis = softmax.axis() < 0 ? softmax.axis() + dims(v).rank : softmax.axis();
    if (core.empty() || core.back() == axis) return 0;
    const Dim inner = dims(v)[core.back()];
    if (!inner.is_number() && static_cast<size_t>(inner.expr()) >= requests_.reference.size()) return 0;
    return value_of(inner, requests_.reference) < kVector ? 5 * bytes_[v] : 0;
  }
  // A matmul reads rows or columns, whatever the batch strides; other movers are written for row-major order.
  double matmul_or_row_major(const Node& n, ValueId v) const {
    const int rank = dims(v).rank;
    if (n.op->kind() == OpKind::matmul) {
      const Perm core = order_core(dims(v), order(v));
      return core.empty() || core.back() >= rank - 2 ? 0 : 2 * bytes_[v];
    }
    return same_order(dims(v), order(v), {}) ? 0 : 0.5 * bytes_[v];
  }

  double consumer_cost(ValueId v) {
    double c = 0;
    NodeId last = kNoNode;
    for (NodeId user : graph_.value(v).users) {
      if (user == last) continue;  // both operands of one node
      c += cost(graph_.node(user));
      last = user;
    }
    for (size_t i = 0; i < graph_.outputs().size(); ++i)
      if (graph_.outputs()[i].value == v) c += same_order(dims(v), order(v), output_order(i)) ? 0 : 2 * bytes_[v];
    return c;
  }
  // --- search ----------------------------------------------------------------------------------------------------------
  void add_candidate(ValueId v, const Perm& p) {
    if (p.rank == dims(v).rank && std::find(candidates_.begin(), candidates_.end(), p) == candidates_.end()) candidates_.push_back(p);
  }
  void add_candidates_from(const Node& n, ValueId v) {
    const auto add = [&](const Perm& p) { add_candidate(v, p); };
    const bool produced = graph_.value(v).producer == n.id;
    if (const auto* t = as<Transpose>(*n.op); t && (!t->is_identity() || n.transfer)) {
      if (produced) add(transposed_order(order(n.inputs[0]), t->perm()));
      else add(transposed_order(order(n.outputs[0]), inverse(t->perm())));
      return;
    }
    if (n.op->kind() == OpKind::reshape) {
      if (const auto p = through_reshape(n, produced, order(produced ? n.inputs[0] : n.outputs[0]))) add(*p);
      return;
    }
    for (size_t o = 0; o < n.outputs.size(); ++o)
      if (n.outputs[o] == v) add(preferred(n, true, static_cast<int>(o), v));
      else if (n.outputs[o] != kNoValue) add(order(n.outputs[o]));
    for (size_t i = 0; i < n.inputs.size(); ++i)
      if (n.inputs[i] == v) add(preferred(n, false, static_cast<int>(i), v));
      else if (n.inputs[i] != kNoValue) add(order(n.inputs[i]));
    for (ValueId p : n.post_inputs)
      if (p != v) add(order(p));
  }

  bool improve_outputs(NodeId id) {
    bool changed = false;
    const Node& n = graph_.node(id);
    if (n.op->kind() == kControlFlow) return false;  // its bodies were made for row-major results
    for (ValueId v : n.outputs)
      if (v != kNoValue && dims(v).rank > 1) changed |= improve(&n, v);
    return changed;
  }

  // No producer: an input whose order is free.
  bool improve(const Node* producer, ValueId v) {
    Value& value = graph_.value(v);
    candidates_.assign(1, value.order);
    if (producer) add_candidates_from(*producer, v);
    for (NodeId user : value.users) add_candidates_from(graph_.node(user), v);
    for (size_t i = 0; i < graph_.outputs().size(); ++i)
      if (graph_.outputs()[i].value == v) add_candidate(v, output_order(i));
    add_candidate(v, row_major(dims(v).rank));
    if (candidates_.size() == 1) return false;
    // A tie goes to the consumers, then to what it is.
    const Perm before = value.order;
    Perm best = before;
    std::pair<double, double> least{-1, 0};
    for (const Perm& p : candidates_) {
      value.order = p;
      const double consumers = consumer_cost(v), total = consumers + (producer ? cost(*producer) : 0);
      if (least.first < 0 || std::pair(total, consumers) < least) {
        least = {total, consumers};
        best = p;
      }
    }
    value.order = best;
    return !same_order(dims(v), before, best);
  }

  // --- afterwards ------------------------------------------------------------------------------------------------------
  // Where orders differ in axes of 1 only, take the kernel's: its strides then look as it expects.
  void normalize_ones() {
    for (NodeId id : graph_.order()) {
      const Node& n = graph_.node(id);
      for (size_t i = 0; i < n.inputs.size(); ++i) {
        const ValueId v = n.inputs[i];
        if (v == kNoValue || is_fixed(v)) continue;
        if (const Perm p = preferred(n, false, static_cast<int>(i), v); !p.empty() && same_order(dims(v), p, order(v)))
          graph_.value(v).order = p;
      }
    }
    for (size_t i = 0; i < graph_.outputs().size(); ++i) {
      const ValueId v = graph_.outputs()[i].value;
      if (!is_fixed(v) && same_order(dims(v), order(v), output_order(i))) graph_.value(v).order = output_order(i);
    }
  }

  Result<ValueId> copy_before(NodeId at, ValueId v, const Perm& order) {
    auto op = Transpose::make(row_major(dims(v).rank));
    if (!op.ok()) return op.take_status();
    auto made = graph_.insert_before(at, *op, {v}, graph_.value(v).name + ".layout", "");
    if (!made.ok()) return made.take_status();
    const ValueId copy = (*made)[0];
    graph_.value(copy).order = order;
    bytes_.resize(static_cast<size_t>(graph_.value_count()), 0);
    bytes_[copy] = bytes_[v];
    return copy;
  }

  Status insert_kernel_copies() {
    std::map<std::pair<ValueId, std::vector<int32_t>>, ValueId> made;
    const std::vector<NodeId> nodes(graph_.order().begin(), graph_.order().end());
    for (NodeId id : nodes) {
      if (is_layout_copy(graph_.node(id))) continue;
      for (size_t i = 0; i < graph_.node(id).inputs.size(); ++i) {
        const ValueId v = graph_.node(id).inputs[i];
        if (v == kNoValue || graph_.value(v).constant) continue;
        const Perm p = preferred(graph_.node(id), false, static_cast<int>(i), v);
        if (p.empty() || mismatch(v, p) <= 0.25 * bytes_[v]) continue;
        ValueId& copy = made.try_emplace({v, key_of(order_core(dims(v), p))}, kNoValue).first->second;
        if (copy == kNoValue) {
          auto c = copy_before(id, v, p);
          if (!c.ok()) return c.take_status();
          copy = *c;
        }
        graph_.set_input(id, i, copy);
      }
    }
    return {};
  }

  // Every output gets a value of its own, in the order asked for, that a node produces.
  Status insert_output_copies() {
    for (size_t i = 0; i < graph_.outputs().size(); ++i) {
      const ValueId v = graph_.outputs()[i].value;
      bool own = !is_fixed(v) && !graph_.has_run_time_dims(v) && same_order(dims(v), order(v), output_order(i));
      for (size_t j = 0; j < i; ++j) own = own && graph_.outputs()[j].value != v;
      if (own) continue;
      auto copy = copy_before(kNoNode, v, output_order(i));
      if (!copy.ok()) return copy.take_status();
      graph_.set_output(i, *copy);
    }
    return {};
  }

  // Between engines bytes go as they are: what changes the order stands before.
  Status insert_transfer_copies() {
    const std::vector<NodeId> nodes(graph_.order().begin(), graph_.order().end());
    for (NodeId id : nodes) {
      if (!graph_.node(id).transfer) continue;
      const ValueId in = graph_.node(id).inputs[0], out = graph_.node(id).outputs[0];
      if (same_order(dims(in), order(in), order(out))) continue;
      auto copy = copy_before(id, in, order(out));
      if (!copy.ok()) return copy.take_status();
      graph_.node(graph_.value(*copy).producer).engine = graph_.engine_of(in);
      graph_.set_input(id, 0, *copy);
    }
    return {};
  }

  Graph& graph_;
  const LayoutRequests& requests_;
  std::vector<double> bytes_;
  std::vector<Perm> candidates_;  // of the value that is looked at
  std::map<Key, std::optional<Perm>> forward_, backward_;
};

}  // namespace

bool is_layout_copy(const Node& node) {
  const auto* t = as<Transpose>(*node.op);
  return t && t->is_identity();
}

Status propagate_layouts(Graph& graph, const LayoutRequests& requests) { return Propagation(graph, requests).run(); }

}  // namespace anydim
