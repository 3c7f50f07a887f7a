// SPDX-License-Identifier: Apache-2.0
// Pass wide_halves: tensors of 16-bit floats between operators are held as binary32 numbers that are rounded to 16 bits. Operators of
// 16-bit floats compute in binary32 and round once at the store (docs/numerics.md, section 4), so the f32 operator on the same numbers
// with a rounding behind it, as its last post-op, gives the same numbers: exact. What is saved is each tensor's way to 16 bits and back,
// which of a depthwise convolution is half of its time.
//
// It is the CPU's pass: what a device gains or loses by wide tensors is its own. Nodes of devices are left alone, and so are the values
// that they hand on.
//
// A node is widened only beside another one, so that no tensor is cast that its kernel would have widened in pieces on its own. Where
// 16-bit floats come in or go out, casts stand; weights are widened when they are packed (ConstantTensor::later).
//
// Pass unrounded_wide_halves leaves the roundings out, a choice (docs/numerics.md, section 8): what follows sees a model of binary32, whose
// scales are folded and whose chains are fused. Roundings stay where a Cast of the model asks for one, and where whole numbers or sizes
// follow from the result.
#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "core/graph/constant_budget.h"
#include "core/graph/passes/compressed_weights.h"
#include "core/graph/passes/leads.h"
#include "core/graph/passes/match.h"
#include "core/graph/passes/passes.h"
#include "core/ops/operators/cast.h"
#include "core/ops/operators/concat.h"
#include "core/ops/operators/pooling.h"
#include "core/ops/operators/reduce.h"
#include "core/ops/operators/resize.h"
#include "core/ops/operators/where.h"

namespace anydim {

namespace {

// What an operator on 16-bit floats gains by their being wide.
enum class Role : uint8_t {
  none,         // not known to be the f32 operator with a rounding behind it
  computes,     // its kernel is an f32 one: widens what it reads and rounds what it has made, by way of memory
  elementwise,  // has kernels that do so in cache
  moves,        // would move twice as many bytes
  narrows,      // a cast from f32: leaves its rounding
};

Role role_of(const Operator& op) {
  switch (op.kind()) {
    case OpKind::convolution:
    case OpKind::conv_transpose:
    case OpKind::matmul:
    case OpKind::pooling:
    case OpKind::layer_norm:
    case OpKind::softmax:
    case OpKind::reduce:
    case OpKind::resize: return Role::computes;
    case OpKind::unary:
    case OpKind::binary: return Role::elementwise;
    case OpKind::transpose:
    case OpKind::reshape:
    case OpKind::concat:
    case OpKind::slice:
    case OpKind::expand:
    case OpKind::pad:
    case OpKind::tile:
    case OpKind::gather:
    case OpKind::depth_to_space:
    case OpKind::where: return Role::moves;
    default: return Role::none;
  }
}

// Is each element of the result one of an operand's, or zero, or that with another sign?
bool keeps_numbers(const Node& n) {
  if (n.post_ops.count > 0) return false;
  if (role_of(*n.op) == Role::moves) return true;
  if (const auto* p = as<Pooling>(*n.op)) return p->get().kind == Pooling::Kind::max;
  if (const auto* r = as<Reduce>(*n.op)) return r->get().kind == ReduceKind::max || r->get().kind == ReduceKind::min;
  if (const auto* b = as<Binary>(*n.op)) return b->function() == BinaryFunction::max || b->function() == BinaryFunction::min;
  if (const auto* r = as<Resize>(*n.op))
    return r->get().mode == ResizeMode::nearest && r->get().coordinates != ResizeCoordinates::tf_crop_and_resize;
  const auto* u = as<Unary>(*n.op);
  if (!u) return false;
  switch (u->function()) {
    case UnaryFunction::identity:
    case UnaryFunction::relu:
    case UnaryFunction::abs:
    case UnaryFunction::neg: return true;
    default: return false;
  }
}

// A NaN of a kind that a conversion changes; what moves a tensor keeps it.
bool has_signalling_nan(const ConstantTensor& c) {
  const bool f16 = c.dtype() == DType::f16;
  const int exponent = f16 ? 0x7c00 : 0x7f80, quiet = f16 ? 0x200 : 0x40, fraction = f16 ? 0x3ff : 0x7f;
  const std::span<const uint16_t> words = c.as<uint16_t>();
  return std::any_of(words.begin(), words.end(),
                     [&](uint16_t w) { return (w & exponent) == exponent && (w & fraction) != 0 && (w & quiet) == 0; });
}

class Widening {
 public:
  // `shows`: values whose roundings are kept; without it all are.
  explicit Widening(Graph& g, const std::vector<bool>* shows = nullptr)
      : g_(g), shows_(shows), roles_(static_cast<size_t>(g.node_capacity()), Role::none) {}

  Status run() {
    const std::vector<NodeId> order(g_.order().begin(), g_.order().end());
    for (NodeId id : order) roles_[static_cast<size_t>(id)] = role_in_graph(g_.node(id));
    bool changed = true;
    const auto give_up = [&](NodeId id) {
      if (is_wide(id) && !gains(g_.node(id))) roles_[static_cast<size_t>(id)] = Role::none, changed = true;
    };
    while (changed) {  // in both directions, so that a chain falls in one turn
      changed = false;
      std::for_each(order.begin(), order.end(), give_up);
      std::for_each(order.rbegin(), order.rend(), give_up);
    }
    std::vector<size_t> half_outputs;  // others may come to give the same values as f32
    for (size_t i = 0; i < g_.outputs().size(); ++i)
      if (dtype_is_half(dtype(g_.outputs()[i].value))) half_outputs.push_back(i);
    for (NodeId id : order) ANYDIM_TRY(is_wide(id) ? widen(id) : leave(id));
    for (NodeId id : casts_back_) {
      const Node& n = g_.node(id);
      g_.replace_uses(n.outputs[0], n.inputs[0]);
      g_.erase_node(id);
    }
    for (size_t i : half_outputs) {
      const auto half = halves_.find(g_.outputs()[i].value);
      if (half == halves_.end()) continue;
      ValueId narrow;
      ANYDIM_TRY(cast(half->first, half->second, kNoNode, &narrow));
      g_.set_output(i, narrow);
    }
    for (const auto& [v, half] : halves_) ANYDIM_TRY(round(v, half));
    return {};
  }

 private:
  DType dtype(ValueId v) const { return v == kNoValue ? DType::none : g_.value(v).type.dtype; }
  bool is_wide(NodeId id) const {
    return id != kNoNode && static_cast<size_t>(id) < roles_.size() && roles_[static_cast<size_t>(id)] != Role::none;
  }

  Role role_in_graph(const Node& n) const {
    if (n.engine != 0 || n.transfer) return Role::none;  // a device reads 16-bit floats as they are
    if (n.outputs.size() != 1 || !dtype_is_half(dtype(n.outputs[0])) || n.op->kind() == kControlFlow || n.quantization) return Role::none;
    const DType half = dtype(n.outputs[0]);
    if (as<Cast>(*n.op)) return dtype(n.inputs[0]) == DType::f32 && n.post_ops.count == 0 ? Role::narrows : Role::none;
    const Role role = role_of(*n.op);
    // Moves may have indices and conditions; with integers in arithmetic it is another operator.
    const auto mixes = [&](ValueId v) { return v != kNoValue && dtype(v) != half && (role != Role::moves || dtype_is_float(dtype(v))); };
    if (std::any_of(n.inputs.begin(), n.inputs.end(), mixes) || std::any_of(n.post_inputs.begin(), n.post_inputs.end(), mixes))
      return Role::none;
    if (n.post_ops.count == kMaxPostOps) return Role::none;
    const auto signals = [&](ValueId v) { return dtype(v) == half && g_.value(v).constant && has_signalling_nan(*g_.value(v).constant); };
    return role == Role::moves && std::any_of(n.inputs.begin(), n.inputs.end(), signals) ? Role::none : role;
  }

  // By what the others are at present.
  bool gains(const Node& n) const {
    bool some = false, all = true;
    for (const auto* list : {&n.inputs, &n.post_inputs})
      for (ValueId v : *list) {
        if (!dtype_is_half(dtype(v)) || g_.value(v).constant) continue;
        const bool wide = is_wide(g_.value(v).producer);
        some = some || wide;
        all = all && wide;
      }
    const std::vector<NodeId>& users = g_.value(n.outputs[0]).users;
    const bool wanted = std::any_of(users.begin(), users.end(), [&](NodeId id) {
      const auto* to = as<Cast>(*g_.node(id).op);
      return is_wide(id) || (to != nullptr && to->to() == DType::f32);
    });
    switch (roles_[static_cast<size_t>(n.id)]) {
      case Role::computes: return some || wanted;
      case Role::elementwise: return some && wanted;
      case Role::moves: return some && all && wanted;
      case Role::narrows: return wanted;
      case Role::none: break;
    }
    return false;
  }

  // `v` in another dtype, made once, before the first node that asks for it.
  Status cast(ValueId v, DType to, NodeId at, ValueId* out) {
    const auto [known, first] = casts_.try_emplace({v, to}, kNoValue);
    if (first) {
      auto op = Cast::make(to);
      if (!op.ok()) return op.take_status();
      auto made = g_.insert_before(at, *op, {v}, formatted("{}.{}", g_.value(v).name, dtype_name(to)), "Cast");
      if (!made.ok()) return made.take_status();
      known->second = (*made)[0];
    }
    *out = known->second;
    return {};
  }

  Status wide(ValueId v, NodeId at, ValueId* out) {
    const ConstantPtr& c = g_.value(v).constant;
    if (const auto known = casts_.find({v, DType::f32}); c && known == casts_.end()) {
      const ValueId made = add_made(g_, g_.value(v).name, 2 * c->bytes(), [&] { return widened_later(c); });
      if (made != kNoValue) casts_[{v, DType::f32}] = made;
    }
    return cast(v, DType::f32, at, out);
  }

  Status widen(NodeId id) {
    Node& n = g_.node(id);
    const DType half = dtype(n.outputs[0]);
    for (const auto* list : {&n.inputs, &n.post_inputs}) {
      const std::vector<ValueId> operands = *list;
      for (ValueId v : operands) {
        if (!dtype_is_half(dtype(v))) continue;
        ValueId to;
        ANYDIM_TRY(wide(v, id, &to));
        g_.replace_operand(id, v, to);
      }
    }
    Value& y = g_.value(n.outputs[0]);
    y.type.dtype = DType::f32;
    halves_[y.id] = half;
    if (roles_[static_cast<size_t>(id)] != Role::narrows) return {};
    auto op = Unary::make(keeps_rounding(y.id) || asks_for_rounding(n) ? rounding(half) : UnaryFunction::identity);
    if (!op.ok()) return op.take_status();
    n.op = *op;
    return {};
  }

  // A node that reads 16-bit floats gets them. A cast to f32 is what it reads, once all have what they read.
  Status leave(NodeId id) {
    const Node& n = g_.node(id);
    if (as<Cast>(*n.op) && dtype(n.outputs[0]) == DType::f32 && n.post_ops.count == 0 && halves_.contains(n.inputs[0])) {
      casts_back_.push_back(id);
      return {};
    }
    for (const auto* list : {&n.inputs, &n.post_inputs}) {
      const std::vector<ValueId> operands = *list;
      for (ValueId v : operands) {
        const auto half = halves_.find(v);
        if (half == halves_.end()) continue;
        ValueId narrow;
        ANYDIM_TRY(cast(v, half->second, id, &narrow));
        g_.replace_operand(id, v, narrow);
      }
    }
    return {};
  }

  static UnaryFunction rounding(DType half) { return half == DType::f16 ? UnaryFunction::round_f16 : UnaryFunction::round_bf16; }

  bool keeps_rounding(ValueId v) const {
    return shows_ == nullptr || (static_cast<size_t>(v) < shows_->size() && (*shows_)[static_cast<size_t>(v)]);
  }

  // A cast to 16 bits that the model itself has, but for one of numbers that were 16-bit floats before they were moved: converters
  // write them around what they leave in binary32.
  bool asks_for_rounding(const Node& n) const {
    if (n.onnx_type != "Cast" && n.onnx_type != "CastLike") return false;
    ValueId v = n.inputs[0];
    for (const Node* p = g_.producer(v); p; p = g_.producer(v)) {
      if (as<Cast>(*p->op)) return !dtype_is_half(dtype(p->inputs[0])) && !halves_.contains(p->inputs[0]);
      if (!keeps_numbers(*p) || as<Concat>(*p->op) || as<Where>(*p->op) || as<Binary>(*p->op)) return true;
      v = p->inputs[0];
    }
    return true;
  }

  // A value whose only reader is a cast to the 16 bits is rounded by that.
  Status round(ValueId v, DType half) {
    if (!keeps_rounding(v)) return {};
    const Value& y = g_.value(v);
    const NodeId id = y.producer;
    const auto narrow = casts_.find({v, half});
    const bool only_cast = narrow != casts_.end() && y.users.size() == 1 && !g_.is_output(v);
    if (only_cast || roles_[static_cast<size_t>(id)] == Role::narrows || keeps_numbers(g_.node(id))) return {};
    if (has_trait(g_.node(id).op->kind(), Trait::post_ops)) {
      g_.append_post_op(id, {PostOp::Kind::unary, rounding(half)});
      return {};
    }
    auto op = Unary::make(rounding(half));
    if (!op.ok()) return op.take_status();
    const auto& order = g_.order();
    const auto at = std::find(order.begin(), order.end(), id) + 1;
    auto made = g_.insert_before(at == order.end() ? kNoNode : *at, *op, {v}, g_.node(id).name, g_.node(id).onnx_type);
    if (!made.ok()) return made.take_status();
    const ValueId rounded = (*made)[0];
    const std::vector<NodeId> users = y.users;
    for (NodeId user : users)
      if (user != g_.value(rounded).producer) g_.replace_operand(user, v, rounded);
    for (size_t i = 0; i < g_.outputs().size(); ++i)
      if (g_.outputs()[i].value == v) g_.set_output(i, rounded);
    return {};
  }

  Graph& g_;
  const std::vector<bool>* const shows_;
  std::vector<Role> roles_;          // by node that there was at first; none: it is not widened
  std::map<ValueId, DType> halves_;  // what is wide now, and what it was
  std::map<std::pair<ValueId, DType>, ValueId> casts_;
  std::vector<NodeId> casts_back_;  // to f32, of what is wide now
};

}  // namespace

Status passes::wide_halves(Graph& graph, std::span<const EnginePtr>) { return Widening(graph).run(); }

Status passes::unrounded_wide_halves(Graph& graph, std::span<const EnginePtr> engines) {
  if (!engines.empty()) return {};  // a device reads 16-bit floats as they are
  const auto has_halves = [&](NodeId id) {
    const std::vector<ValueId>& made = graph.node(id).outputs;
    return std::any_of(made.begin(), made.end(), [&](ValueId v) { return v != kNoValue && dtype_is_half(graph.value(v).type.dtype); });
  };
  if (std::none_of(graph.order().begin(), graph.order().end(), has_halves)) return {};
  std::vector<bool> shows = leads_to_steps(graph, false);
  const std::vector<bool> sizes = leads_to_sizes(graph);
  for (size_t v = 0; v < shows.size(); ++v) shows[v] = shows[v] || sizes[v];
  return Widening(graph, &shows).run();
}

}  // namespace anydim
