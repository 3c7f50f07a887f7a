// SPDX-License-Identifier: Apache-2.0
// Pass scales: chains of x * c, x / c, x + c, x - c with constants, scalar or one per channel, become one scale and one
// shift, multiplied out in binary64; they go into the weights and bias of the convolution or matmul that alone feeds
// them (batch normalisation arrives here as such a chain). What remains of a scalar chain is one affine function, fma(x, s, b).
// Where whole numbers are made of the result (floor(x * 0.75 + 3)), a chain stays step by step: see leads_to_steps.
// A choice of what the model means (docs/numerics.md, section 8), but for single scalar steps, which are exact: x * s is
// fma(x, s, -0) and x + b is fma(x, 1, b).
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <optional>

#include "core/graph/passes/folding.h"
#include "core/graph/passes/leads.h"
#include "core/graph/passes/match.h"
#include "core/graph/passes/passes.h"

namespace anydim {

namespace {

// The elements of a constant operand if it is a scalar (axis -1) or varies along one axis of `whole` only.
struct Operand {
  std::vector<double> values;
  int axis = -1;
};
std::optional<Operand> read_operand(Graph& g, ValueId v, const SymDims& whole) {
  const ConstantTensor* c = g.value(v).constant.get();
  if (!c || c->dtype() != DType::f32 || c->count() < 1 || !fits_into(g, g.value(v).type.dims, whole)) return {};
  Operand o;
  for (int i = 0; i < c->dims().rank; ++i) {
    if (c->dims()[i] == 1) continue;
    if (o.axis >= 0) return {};
    o.axis = i + whole.rank - c->dims().rank;
  }
  for (float x : c->as<float>()) {
    if (!std::isfinite(x)) return {};
    o.values.push_back(x);
  }
  return o;
}

// Does a factor keep its digits when it is rounded to binary32? Neither if it overflows, nor below the normal numbers.
bool keeps_digits(double factor) { return factor == 0 || (std::abs(factor) >= FLT_MIN && std::abs(factor) <= FLT_MAX); }

bool power_of_two(double c) {
  int exponent;
  return std::abs(std::frexp(c, &exponent)) == 0.5 && exponent > -100 && exponent < 100;
}

// One step: y = x * scale + shift, of which at least one is there.
struct Step {
  const Node* node;
  ValueId x;
  Operand scale, shift;
  bool inexact = false;  // a division that no multiplication replaces exactly
};
std::optional<Step> read_step(Graph& g, const Node& n) {
  if (n.post_ops.count > 0 || n.quantization || n.outputs.size() != 1 || g.value(n.outputs[0]).type.dtype != DType::f32) return {};
  const SymDims& whole = g.value(n.outputs[0]).type.dims;
  Step s{&n, kNoValue, {}, {}};
  if (const auto* u = as<Unary>(*n.op)) {
    if (u->function() != UnaryFunction::affine || !std::isfinite(u->alpha()) || !std::isfinite(u->beta())) return {};
    s.x = n.inputs[0];
    s.scale.values = {u->alpha()};
    s.shift.values = {u->beta()};
    return s;
  }
  const auto* b = as<Binary>(*n.op);
  if (!b) return {};
  for (int turn = 0; turn < 2; ++turn) {
    const ValueId x = n.inputs[turn ? 1 : 0], c = n.inputs[turn ? 0 : 1];
    if (g.value(x).constant || !g.value(c).constant || !same_dims(g, g.value(x).type.dims, whole)) continue;
    std::optional<Operand> o = read_operand(g, c, whole);
    if (!o) continue;
    s.x = x;
    switch (b->function()) {
      case BinaryFunction::mul: s.scale = *o; return s;
      case BinaryFunction::add: s.shift = *o; return s;
      case BinaryFunction::sub:
        if (turn) {  // c - x
          s.scale.values = {-1.0};
        } else {
          for (double& v : o->values) v = -v;
        }
        s.shift = *o;
        return s;
      case BinaryFunction::div:
        if (turn) return {};
        for (double& v : o->values) {
          if (v == 0) return {};
          s.inexact = s.inexact || !power_of_two(v);
          v = 1.0 / v;
        }
        s.scale = *o;
        return s;
      default: return {};
    }
  }
  return {};
}

class Chain {
 public:
  explicit Chain(Graph& g) : g_(g) {}

  // Appends a step if its axis agrees with those before, and if it does not take away most of a shift that came before: what
  // the sum lost to rounding in between may be what the model wants (x + 2^23 - 2^23 rounds x to an integer).
  bool append(const Step& s) {
    for (const Operand* o : {&s.scale, &s.shift})
      if (o->axis >= 0 && axis_ >= 0 && o->axis != axis_) return false;
    const size_t count = std::max({scale_.size(), s.scale.values.size(), s.shift.values.size()});
    std::vector<double> scale = scale_, shift = shift_;
    spread(&scale, count);
    spread(&shift, count);
    for (size_t i = 0; i < count; ++i) {
      const double a = s.scale.values.empty() ? 1.0 : s.scale.values[s.scale.values.size() == 1 ? 0 : i];
      scale[i] *= a;
      if (has_shift_) shift[i] *= a;
      if (s.shift.values.empty()) continue;
      const double b = s.shift.values[s.shift.values.size() == 1 ? 0 : i], before = std::abs(shift[i]);
      shift[i] = has_shift_ ? shift[i] + b : b;  // not 0 + b: -0 stays
      if (has_shift_ && before > kCancelled * std::max(std::abs(shift[i]), std::abs(scale[i]))) return false;
    }
    scale_ = std::move(scale);
    shift_ = std::move(shift);
    axis_ = std::max({axis_, s.scale.axis, s.shift.axis});
    has_scale_ = has_scale_ || !s.scale.values.empty();
    has_shift_ = has_shift_ || !s.shift.values.empty();
    inexact_ = inexact_ || s.inexact;
    steps_.push_back(s);
    return true;
  }

  // `keeps_bits`: unless it goes into weights, nothing changes a rounding, so each step stays by itself.
  Status rewrite(bool keeps_bits) {
    for (size_t i = 0; i < scale_.size(); ++i)
      if (!keeps_digits(scale_[i]) || !std::isfinite(static_cast<float>(shift_[i]))) return {};
    const ValueId x = steps_.front().x, end = steps_.back().node->outputs[0];
    const Node* feeder = g_.producer(x);
    if (feeder && only_user(g_, x) && feeder->post_ops.count == 0 && !feeder->quantization) {
      auto folded = fold_into(g_, *feeder, {axis_, has_scale_, has_shift_, scale_, shift_});
      if (!folded.ok()) return folded.take_status();
      if (*folded != kNoValue) {
        g_.replace_uses(end, *folded);
        return {};
      }
    }
    if (keeps_bits && steps_.size() > 1) {
      Chain first(g_);
      first.append(steps_.front());
      return first.rewrite(true);
    }
    if (steps_.size() == 1 && (inexact_ || axis_ >= 0 || as<Unary>(*steps_[0].node->op))) return {};
    const bool both = has_scale_ && has_shift_;
    if (axis_ >= 0 && steps_.size() <= (both ? 2u : 1u)) return {};
    return axis_ >= 0 ? per_channel(x, end) : scalar(x, end);
  }

 private:
  static constexpr double kCancelled = 256;
  static void spread(std::vector<double>* v, size_t count) {
    if (v->size() < count) *v = std::vector<double>(count, v->front());  // assign may not take an element of its own
  }

  Status scalar(ValueId x, ValueId end) {
    // Without a shift -0 is added, which changes nothing.
    const float shift = has_shift_ ? static_cast<float>(shift_[0]) : -0.f;
    auto made = insert(g_, *steps_.back().node, Unary::make(UnaryFunction::affine, static_cast<float>(scale_[0]), shift), {x});
    if (!made.ok()) return made.take_status();
    g_.replace_uses(end, *made);
    return {};
  }

  Status per_channel(ValueId x, ValueId end) {
    const Node& at = *steps_.back().node;
    ValueId y = x;
    if (has_scale_) {
      auto made = insert(g_, at, Binary::make(BinaryFunction::mul), {y, constant(scale_)});
      if (!made.ok()) return made.take_status();
      y = *made;
    }
    if (has_shift_) {
      auto made = insert(g_, at, Binary::make(BinaryFunction::add), {y, constant(shift_)});
      if (!made.ok()) return made.take_status();
      y = *made;
    }
    g_.replace_uses(end, y);
    return {};
  }

  // Along axis_, with ones after it: [C, 1, 1].
  ValueId constant(const std::vector<double>& values) {
    Dims dims{static_cast<int64_t>(values.size())};
    const int rank = g_.value(steps_.back().node->outputs[0]).type.dims.rank;
    for (int i = axis_ + 1; i < rank; ++i) dims.push_back(1);
    return f32_constant(g_, steps_.back().node->name, dims, std::vector<float>(values.begin(), values.end()));
  }

  Graph& g_;
  std::vector<Step> steps_;
  std::vector<double> scale_{1.0}, shift_{0.0};
  int axis_ = -1;
  bool has_scale_ = false, has_shift_ = false, inexact_ = false;
};

Status merge_chains(Graph& graph, bool is_body) {
  const std::vector<bool> sizes = leads_to_sizes(graph), steps = leads_to_steps(graph, is_body);
  const auto holds = [](const std::vector<bool>& values, ValueId v) {
    return static_cast<size_t>(v) < values.size() && values[static_cast<size_t>(v)];
  };
  const std::vector<NodeId> order(graph.order().begin(), graph.order().end());
  for (NodeId id : order) {
    const Node& n = graph.node(id);
    if (n.outputs.empty() || graph.uses(n.outputs[0]) == 0) continue;  // absorbed by a chain before
    std::optional<Step> step = read_step(graph, n);
    if (!step || holds(sizes, n.outputs[0])) continue;
    Chain chain(graph);
    chain.append(*step);
    ValueId end = n.outputs[0];
    for (const Node* last = &n; (last = only_user(graph, last->outputs[0]));) {
      step = read_step(graph, *last);
      if (!step || !chain.append(*step)) break;
      end = last->outputs[0];
    }
    ANYDIM_TRY(chain.rewrite(holds(steps, end)));
  }
  return {};
}

}  // namespace

Status passes::scales(Graph& graph) { return merge_chains(graph, false); }
Status passes::scales_in_body(Graph& graph) { return merge_chains(graph, true); }

}  // namespace anydim
