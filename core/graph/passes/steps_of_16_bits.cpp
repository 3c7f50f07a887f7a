// SPDX-License-Identifier: Apache-2.0
// Pass steps_of_16_bits: what is quantized to 16 bits and dequantized again with the same scale stays binary32, held between the smallest
// and the largest number that 16 bits have. No kernel multiplies 16-bit numbers, so nothing is gained by making them. A choice
// (docs/numerics.md, section 8): the rounding to the steps in between, of 2^-17 of the range, is left out where a sum over weights follows
// before the result shows. Where it shows, in an output, in whole numbers or in sizes, x is round(x / s) * s as ONNX has it.
#include <cmath>
#include <map>

#include "core/graph/passes/held_values.h"
#include "core/graph/passes/leads.h"
#include "core/graph/passes/passes.h"
#include "core/graph/passes/quantized.h"
#include "core/ops/operators/cast.h"
#include "core/ops/operators/pooling.h"
#include "core/ops/operators/unary.h"

namespace anydim {

namespace {

bool is_16_bit(DType t) { return t == DType::i16 || t == DType::u16; }

// The steps of a tensor: s * (number - zero).
struct Steps {
  DType numbers = DType::none;
  float scale = 1, zero = 0;
  friend bool operator==(const Steps&, const Steps&) = default;
};

// The factors of a cast between f32 and 16-bit numbers, if it has one scale in the model's file.
bool read_steps(const Graph& g, const Node& n, bool dequantizes, Steps* out) {
  if (!n.op || !as<Cast>(*n.op) || !n.quantization || n.post_ops.count > 0 || n.inputs.size() != 1 || n.outputs.size() != 1) return false;
  const DType from = dtype_of(g, n.inputs[0]), to = dtype_of(g, n.outputs[0]);
  if (dequantizes ? !is_16_bit(from) || to != DType::f32 : from != DType::f32 || !is_16_bit(to)) return false;
  const Quantization& q = *n.quantization;
  const int operand = dequantizes ? 0 : Quantization::kResult, other = dequantizes ? Quantization::kResult : 0;
  if (!q.table.empty() || q.tensor_count() > 0 || q.scale[other].present() || q.zero_point[other].present() || !per_tensor(q, operand))
    return false;
  *out = {dequantizes ? from : to, q.scale[operand].values[0], q.zero_point[operand].present() ? q.zero_point[operand].values[0] : 0.f};
  // round(s * q / s) is q where neither product nor quotient leaves the normal numbers.
  return out->scale > 0x1p-100f && out->scale < 0x1p100f;
}

// Is each element of the result one of the first operand's?
bool picks(const Node& n) {
  if (n.post_ops.count > 0 || n.quantization) return false;
  switch (n.op->kind()) {
    case OpKind::transpose:
    case OpKind::reshape:
    case OpKind::slice:
    case OpKind::expand:
    case OpKind::tile:
    case OpKind::gather:
    case OpKind::depth_to_space: return true;
    case OpKind::pooling: return as<Pooling>(*n.op)->get().kind == Pooling::Kind::max;
    default: return false;
  }
}

Result<ValueId> held(Graph& g, const Node& at, ValueId x, const Steps& s, float unit) {
  const float low = (s.numbers == DType::i16 ? -32768.f : 0.f) - s.zero, high = (s.numbers == DType::i16 ? 32767.f : 65535.f) - s.zero;
  return insert(g, at, Unary::make(UnaryFunction::clip, low * unit, high * unit), {x});
}
Result<ValueId> rounded(Graph& g, const Node& at, ValueId x, const Steps& s) {
  auto y = insert(g, at, Binary::make(BinaryFunction::div), {x, f32_constant(g, at.name + ".scale", {}, {s.scale})});
  if (y.ok()) y = insert(g, at, Unary::make(UnaryFunction::round_even), {*y});
  if (y.ok()) y = held(g, at, *y, s, 1.f);
  if (y.ok()) y = insert(g, at, Unary::make(UnaryFunction::affine, s.scale, 0.f), {*y});  // + 0: no -0
  return y;
}

// Single numbers of 16 bits, which quantizers make of scales and shifts, become the floats that they stand for.
void widen_numbers(Graph& g) {
  for (const NodeId id : nodes_of(g)) {
    const Node& n = g.node(id);
    Steps s;
    if (!read_steps(g, n, true, &s)) continue;
    const ConstantTensor* c = g.value(n.inputs[0]).constant.get();
    if (c == nullptr || c->count() != 1) continue;
    const int32_t number = s.numbers == DType::i16 ? c->as<int16_t>()[0] : c->as<uint16_t>()[0];
    const float real = (static_cast<float>(number) - s.zero) * s.scale;
    g.replace_uses(n.outputs[0], f32_constant(g, n.name + ".number", c->dims(), {real}));
  }
}

}  // namespace

Status passes::steps_of_16_bits(Graph& graph) {
  widen_numbers(graph);
  std::map<ValueId, Steps> has, made;
  const auto steps_behind = [&](ValueId v) -> const Steps* {
    for (;;) {
      if (const auto found = has.find(v); found != has.end()) return &found->second;
      const Node* p = graph.producer(v);
      if (!p || !picks(*p)) return nullptr;
      v = p->inputs[0];
    }
  };
  for (const NodeId id : nodes_of(graph)) {
    const Node& n = graph.node(id);
    Steps back, there;
    if (!read_steps(graph, n, true, &back)) continue;
    const Node* q = graph.producer(n.inputs[0]);
    ValueId y = n.outputs[0];
    if (q && read_steps(graph, *q, false, &there) && there == back) {
      const ValueId x = q->inputs[0], was = y;
      if (const Steps* before = steps_behind(x); before != nullptr && *before == back) {
        y = x;
      } else {
        auto clipped = held(graph, n, x, back, back.scale);
        if (!clipped.ok()) return clipped.take_status();
        y = *clipped;
        made[y] = back;
      }
      graph.replace_uses(was, y);
      graph.erase_node(id);
    }
    has[y] = back;
  }
  if (made.empty()) return {};
  ANYDIM_TRY(dead_nodes(graph));  // what quantized alone would be a step
  // Outputs are what the caller sees of it, as a body's are.
  const std::vector<bool> shows = leads_to_steps(graph, true), sizes = leads_to_sizes(graph);
  for (const auto& [v, steps] : made) {
    if (!shows[static_cast<size_t>(v)] && !sizes[static_cast<size_t>(v)]) continue;
    if (graph.uses(v) == 0) continue;
    const Node& clip = *graph.producer(v);
    auto y = rounded(graph, clip, clip.inputs[0], steps);
    if (!y.ok()) return y.take_status();
    graph.replace_uses(v, *y);
  }
  std::map<ValueId, float> clips;
  for (const auto& [v, steps] : made) clips[v] = steps.scale;
  return leave_out_clips(graph, std::move(clips));
}

}  // namespace anydim
