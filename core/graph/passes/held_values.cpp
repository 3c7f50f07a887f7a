// SPDX-License-Identifier: Apache-2.0
// Ranges of values follow from clips, constants and functions in the order of the nodes. A clip commutes with whatever grows, or falls,
// with its operand, rounding included: both are exact.
#include "core/graph/passes/held_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/graph/passes/match.h"
#include "core/graph/passes/passes.h"
#include "core/graph/passes/quantized.h"
#include "core/ops/operators/pooling.h"

namespace anydim {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Range {
  float low = -kInfinity, high = kInfinity;
};
Range joined(Range a, Range b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }
// Of f at both ends, for an f that grows.
template <class F> Range along(Range r, F f) {
  return {static_cast<float>(f(static_cast<double>(r.low))), static_cast<float>(f(static_cast<double>(r.high)))};
}
// Of f at the ends of both.
template <class F> Range corners(Range a, Range b, F f) {
  const float all[] = {f(a.low, b.low), f(a.low, b.high), f(a.high, b.low), f(a.high, b.high)};
  if (std::any_of(std::begin(all), std::end(all), [](float v) { return std::isnan(v); })) return {};
  const auto [least, most] = std::minmax_element(std::begin(all), std::end(all));
  return {*least, *most};
}

Range of_unary(const Unary& op, Range x) {
  switch (op.function()) {
    case UnaryFunction::clip:
      return along(x, [&](double v) { return std::min(std::max(v, static_cast<double>(op.alpha())), static_cast<double>(op.beta())); });
    case UnaryFunction::relu: return along(x, [](double v) { return std::max(v, 0.0); });
    case UnaryFunction::erf: return along(x, [](double v) { return std::erf(v); });
    case UnaryFunction::tanh: return along(x, [](double v) { return std::tanh(v); });
    case UnaryFunction::sigmoid: return along(x, [](double v) { return 1 / (1 + std::exp(-v)); });
    case UnaryFunction::hard_sigmoid:
      return along(x, [&](double v) { return std::clamp(static_cast<double>(op.alpha()) * v + static_cast<double>(op.beta()), 0.0, 1.0); });
    case UnaryFunction::neg: return {-x.high, -x.low};
    default: return {};
  }
}
Range of_binary(BinaryFunction f, Range a, Range b) {
  switch (f) {
    case BinaryFunction::add: return {a.low + b.low, a.high + b.high};
    case BinaryFunction::sub: return {a.low - b.high, a.high - b.low};
    case BinaryFunction::mul: return corners(a, b, [](float x, float y) { return x * y; });
    case BinaryFunction::div: return b.low <= 0 && b.high >= 0 ? Range{} : corners(a, b, [](float x, float y) { return x / y; });
    default: return {};
  }
}

// A clip of values that another clip holds, too: clip(clip(x; of); by) is clip(x; the result).
Range held_twice(Range of, Range by) { return {std::clamp(of.low, by.low, by.high), std::clamp(of.high, by.low, by.high)}; }
Range bounds_of(const Graph& g, ValueId v) {
  const auto& clip = *as<Unary>(*g.producer(v)->op);
  return {clip.alpha(), clip.beta()};
}

class Clips {
 public:
  Clips(Graph& graph, std::map<ValueId, float> steps) : graph_(graph), steps_(std::move(steps)) {}

  Status run() {
    ANYDIM_TRY(passes::dead_nodes(graph_));
    std::erase_if(steps_, [&](const auto& clip) { return graph_.producer(clip.first) == nullptr || graph_.uses(clip.first) == 0; });
    leave_out();
    for (bool changed = true; changed;) ANYDIM_TRY(move_one(&changed));
    return passes::dead_nodes(graph_);
  }

 private:
  // --- those that cut nothing ----------------------------------------------------------------------------------------
  void leave_out() {
    ranges_.assign(static_cast<size_t>(graph_.value_count()), {});
    for (const NodeId id : nodes_of(graph_)) {
      const Node& n = graph_.node(id);
      if (n.outputs.size() != 1 || n.outputs[0] == kNoValue || dtype_of(graph_, n.outputs[0]) != DType::f32) continue;
      const ValueId v = n.outputs[0];
      if (const auto step = steps_.find(v); step != steps_.end() && (cuts_nothing(n, step->second) || is_cut_again(v))) {
        graph_.replace_uses(v, n.inputs[0]);
        steps_.erase(step);
      } else {
        ranges_[static_cast<size_t>(v)] = of(n);
      }
    }
  }
  bool cuts_nothing(const Node& clip, float step) const {
    const Range x = range(clip.inputs[0]), to = bounds_of(graph_, clip.outputs[0]);
    return x.low >= to.low - 2 * step && x.high <= to.high + 2 * step;
  }
  // Do all readers cut more of it?
  bool is_cut_again(ValueId v) const {
    const Range mine = bounds_of(graph_, v);
    return std::all_of(graph_.value(v).users.begin(), graph_.value(v).users.end(), [&](NodeId user) {
      const Node& n = graph_.node(user);
      const auto* op = as<Unary>(*n.op);
      if (op == nullptr || n.quantization || n.post_ops.count > 0) return false;
      const float a = op->alpha(), b = op->beta();
      if (op->function() == UnaryFunction::clip) return mine.low <= a && a <= b && b <= mine.high;
      return op->function() == UnaryFunction::hard_sigmoid && std::fma(a, mine.low, b) <= 0.f && std::fma(a, mine.high, b) >= 1.f;
    });
  }

  Range range(ValueId v) const {
    if (v == kNoValue) return {};
    const ConstantTensor* c = graph_.value(v).constant.get();
    return c != nullptr ? of_constant(*c) : ranges_[static_cast<size_t>(v)];
  }
  static Range of_constant(const ConstantTensor& c) {
    constexpr int64_t kMost = 4096;  // weights of a channel each, and no more
    if (c.dtype() != DType::f32 || c.count() == 0 || c.count() > kMost) return {};
    const std::span<const float> all = c.as<float>();
    if (std::any_of(all.begin(), all.end(), [](float x) { return std::isnan(x); })) return {};
    const auto [least, most] = std::minmax_element(all.begin(), all.end());
    return {*least, *most};
  }
  Range of(const Node& n) const {
    if (n.quantization || n.post_ops.count > 0) return {};
    switch (n.op->kind()) {
      case OpKind::unary: return of_unary(*as<Unary>(*n.op), range(n.inputs[0]));
      case OpKind::binary: {
        const BinaryFunction f = as<Binary>(*n.op)->function();
        Range r = of_binary(f, range(n.inputs[0]), range(n.inputs[1]));
        if (f == BinaryFunction::mul)
          for (const int x : {0, 1})
            r.low = std::max(r.low, least_of_gated(n.inputs[static_cast<size_t>(x)], n.inputs[static_cast<size_t>(1 - x)]));
        return r;
      }
      case OpKind::softmax: return {0, 1};
      case OpKind::concat: {
        Range all = range(n.inputs[0]);
        for (const ValueId v : n.inputs) all = joined(all, range(v));
        return all;
      }
      case OpKind::transpose:
      case OpKind::reshape:
      case OpKind::slice:
      case OpKind::expand:
      case OpKind::tile:
      case OpKind::gather:
      case OpKind::depth_to_space: return range(n.inputs[0]);
      case OpKind::pooling: return as<Pooling>(*n.op)->get().kind == Pooling::Kind::max ? range(n.inputs[0]) : Range{};
      default: return {};
    }
  }

  // The least of x * gate where the gate opens with x, as in hard-swish (x + c held above 0), GELU (1 + erf(k x)) and SiLU; else no bound.
  float least_of_gated(ValueId x, ValueId gate) const {
    ValueId inner, scaled;
    const Unary* held;
    float c;
    if (match_unary(graph_, gate, UnaryFunction::clip, &inner, &held) && held->alpha() == 0.f &&
        match_constant(graph_, inner, BinaryFunction::add, &scaled, &c) && scaled == x && c > 0 && held->beta() >= c / 2)
      return -c * c / 4;
    if (match_unary(graph_, gate, UnaryFunction::sigmoid, &inner) && inner == x) return -0.27846455f;
    if (!match_constant(graph_, gate, BinaryFunction::add, &inner, &c) || c != 1.f ||
        !match_unary(graph_, inner, UnaryFunction::erf, &scaled))
      return -kInfinity;
    ValueId of;
    constexpr float kLeast = -0.24037559f;  // of u * (1 + erf(u))
    if (match_constant(graph_, scaled, BinaryFunction::div, &of, &c) && of == x && c > 0) return kLeast * c;
    if (match_constant(graph_, scaled, BinaryFunction::mul, &of, &c) && of == x && c > 0) return kLeast / c;
    return -kInfinity;
  }

  // --- one behind the other ------------------------------------------------------------------------------------------
  struct Moved {
    Range bounds;
    float step;
  };
  // What a node with one constant makes of a clip's bounds and steps.
  std::optional<Moved> moved(const Node& n, ValueId v, float step) const {
    const auto* op = as<Binary>(*n.op);
    if (op == nullptr || n.quantization || n.post_ops.count > 0 || n.inputs.size() != 2) return {};
    const bool right = n.inputs[1] == v;
    float c;
    if (!scalar_constant(graph_, n.inputs[right ? 0 : 1], graph_.value(v).type.dims.rank, &c)) return {};
    const BinaryFunction f = op->function();
    if (right && !is_commutative(f)) return {};
    const bool scale = f == BinaryFunction::mul || f == BinaryFunction::div;
    if ((!scale && f != BinaryFunction::add && f != BinaryFunction::sub) || (scale && c == 0.f)) return {};
    const auto at = [&](float x) {
      return f == BinaryFunction::mul ? x * c : f == BinaryFunction::div ? x / c : f == BinaryFunction::add ? x + c : x - c;
    };
    const Range from = bounds_of(graph_, v);
    Moved to{{at(from.low), at(from.high)}, scale ? std::abs(at(step)) : step};
    if (scale && c < 0) std::swap(to.bounds.low, to.bounds.high);
    return std::isfinite(to.bounds.low) && std::isfinite(to.bounds.high) ? std::optional(to) : std::nullopt;
  }
  Status move_one(bool* changed) {
    *changed = false;
    for (const auto& [v, step] : steps_) {
      const Node* n = only_user(graph_, v);
      if (n == nullptr || n->outputs.size() != 1 || graph_.is_output(n->outputs[0])) continue;
      if (const std::optional<Moved> to = moved(*n, v, step)) {
        *changed = true;
        return put_behind(n->id, v, *to);
      }
    }
    return {};
  }
  // Node `id` of a clip's operand in place of the clip's result `v`, then the clip, into which one that follows goes.
  Status put_behind(NodeId id, ValueId v, Moved clip) {
    const Node* n = &graph_.node(id);
    ValueId replaced = n->outputs[0];
    if (const Node* only = only_user(graph_, replaced); only != nullptr && steps_.contains(only->outputs[0])) {
      replaced = only->outputs[0];
      clip = {held_twice(clip.bounds, bounds_of(graph_, replaced)), steps_[replaced]};
      steps_.erase(replaced);
    }
    std::vector<ValueId> inputs(n->inputs.begin(), n->inputs.end());
    std::replace(inputs.begin(), inputs.end(), v, graph_.producer(v)->inputs[0]);
    auto y = insert(graph_, *n, n->op, inputs);
    if (!y.ok()) return y.take_status();
    auto made = insert(graph_, graph_.node(id), Unary::make(UnaryFunction::clip, clip.bounds.low, clip.bounds.high), {*y});
    if (!made.ok()) return made.take_status();
    graph_.replace_uses(replaced, *made);
    steps_.erase(v);
    steps_[*made] = clip.step;
    return passes::dead_nodes(graph_);
  }

  Graph& graph_;
  std::map<ValueId, float> steps_;
  std::vector<Range> ranges_;  // by value
};

}  // namespace

Status leave_out_clips(Graph& graph, std::map<ValueId, float> steps) { return Clips(graph, std::move(steps)).run(); }

}  // namespace anydim
