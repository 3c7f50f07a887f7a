// SPDX-License-Identifier: Apache-2.0
// Pass quantized_movers: numbers are moved before they become real, where moving and the conversion may change places: a dequantized
// tensor is reshaped, transposed, cut, joined, gathered from or maximised as numbers. Pass requantize: what is quantized again is the
// numbers themselves, or a table of them. Pass quantized_binary: an element-wise function between conversions is one node. Pass
// quantized_results: products store numbers where only these are wanted. All are exact: the same roundings on the same numbers.
//
// Pass dynamic_scales: sums of products that are made real and multiplied by the scale of the left side times that of the right one are
// scaled by the product itself, which computes the same: float(sum) * (scale * scale).
//
// Pass quantized_products: a product of dequantized operands is a product of the numbers, whose sums are exact. A choice
// (docs/numerics.md, section 8): sums of real numbers round.
#include "core/graph/passes/quantized.h"

#include <algorithm>
#include <cmath>

#include "core/ops/operators/binary.h"
#include "core/ops/operators/cast.h"
#include "core/ops/operators/concat.h"
#include "core/ops/operators/conv_transpose.h"
#include "core/ops/operators/convolution.h"
#include "core/ops/operators/matmul.h"
#include "core/ops/operators/pooling.h"
#include "core/ops/operators/resize.h"
#include "core/graph/passes/passes.h"

namespace anydim {

namespace {

using Factors = Quantization::Factors;
using From = Factors::From;
constexpr int kResult = Quantization::kResult;

bool is_8_bit(DType t) { return t == DType::i8 || t == DType::u8; }
DType dtype_of(const Graph& g, ValueId v) { return v == kNoValue ? DType::none : g.value(v).type.dtype; }
bool by_attributes(const Quantization& q) { return q.tensor_count() == 0; }

std::vector<NodeId> nodes_of(const Graph& g) { return {g.order().begin(), g.order().end()}; }

}  // namespace

bool per_tensor(const Quantization& q, int operand) { return q.scale[operand].axis < 0 && q.zero_point[operand].axis < 0; }

const Node* dequantizes(const Graph& g, ValueId v) {
  const Node* n = v == kNoValue ? nullptr : g.producer(v);
  if (!n || !n->quantization || !as<Cast>(*n->op) || !n->quantization->table.empty()) return nullptr;
  if (dtype_of(g, v) != DType::f32 || !is_8_bit(dtype_of(g, n->inputs[0])) || !by_attributes(*n->quantization)) return nullptr;
  return n->quantization->scale[0].present() ? n : nullptr;
}

bool quantizes(const Graph& g, const Node& n) {
  return n.op && n.quantization && as<Cast>(*n.op) && n.quantization->table.empty() && is_8_bit(dtype_of(g, n.outputs[0])) &&
         dtype_of(g, n.inputs[0]) == DType::f32 && by_attributes(*n.quantization);
}

Result<ValueId> insert_quantized(Graph& g, const Node& at, Result<OperatorPtr> op, Quantization q, std::vector<ValueId> inputs,
                                 std::vector<ValueId> tensors) {
  if (!op.ok()) return op.take_status();
  auto made = g.insert_before(at.id, *op, std::move(inputs), at.name, at.onnx_type, std::make_shared<const Quantization>(std::move(q)),
                              std::move(tensors));
  if (!made.ok()) return made.take_status();
  return (*made)[0];
}

// --- movers ---------------------------------------------------------------------------------------------------------

namespace {

// Does the node choose among the elements of its data operands, without looking at their values but to find the largest?
bool moves(const Node& n) {
  if (n.quantization || n.post_ops.count > 0 || n.outputs.size() != 1 || n.inputs.empty()) return false;
  switch (n.op->kind()) {
    case OpKind::reshape:
    case OpKind::transpose:
    case OpKind::slice:
    case OpKind::expand:
    case OpKind::tile:
    case OpKind::gather:
    case OpKind::concat:
    case OpKind::depth_to_space: return true;
    case OpKind::pooling: {
      const Pooling::Attributes& at = as<Pooling>(*n.op)->get();
      // A window without an element is -inf, which no number stands for.
      bool inside = at.kind == Pooling::Kind::max && !at.indices && !at.global && at.auto_pad == AutoPad::explicit_ && !at.ceil_mode;
      for (int i = 0; i < at.spatial; ++i) {
        const int64_t reach = at.dilations[i] * (at.window[i] - 1) + 1;
        inside = inside && at.pads_begin[i] + at.pads_end[i] < reach && at.dilations[i] == 1;
      }
      return inside;
    }
    case OpKind::resize: {
      const Resize::Attributes& at = as<Resize>(*n.op)->get();
      return at.mode == ResizeMode::nearest && at.coordinates != ResizeCoordinates::tf_crop_and_resize;
    }
    default: return false;
  }
}
size_t data_operands(const Node& n) { return n.op->kind() == OpKind::concat ? n.inputs.size() : 1; }

// Moves the conversion behind `n`; false if it cannot.
Result<bool> move_behind(Graph& g, NodeId id) {
  const Node& n = g.node(id);
  if (!n.op || !moves(n) || dtype_of(g, n.outputs[0]) != DType::f32 || g.uses(n.outputs[0]) == 0) return false;
  const Node* first = dequantizes(g, n.inputs[0]);
  if (!first || !per_tensor(*first->quantization, 0)) return false;
  std::vector<ValueId> inputs = n.inputs;
  for (size_t i = 0; i < data_operands(n); ++i) {
    const Node* d = dequantizes(g, n.inputs[i]);
    if (!d || !(*d->quantization == *first->quantization) || dtype_of(g, d->inputs[0]) != dtype_of(g, first->inputs[0])) return false;
    if (g.value(d->inputs[0]).constant) return false;  // it is computed once
    inputs[i] = d->inputs[0];
  }
  const Quantization q = *first->quantization;
  auto moved = insert(g, n, n.op, inputs);
  if (!moved.ok()) return moved.take_status();
  auto real = insert_quantized(g, n, Cast::make(DType::f32), q, {*moved});
  if (!real.ok()) return real.take_status();
  g.replace_uses(n.outputs[0], *real);
  g.erase_node(id);
  return true;
}

// Numbers are made of the parts of a concat, or before a tensor gets other dims or another order, if they alone are wanted.
Status quantize_before(Graph& g, NodeId id) {
  const Node& n = g.node(id);
  if (!quantizes(g, n) || !per_tensor(*n.quantization, kResult)) return {};
  const Node* m = g.producer(n.inputs[0]);
  if (!m || m->quantization || m->post_ops.count > 0 || only_user(g, n.inputs[0]) != &n) return {};
  const OpKind kind = m->op->kind();
  if (kind != OpKind::concat && kind != OpKind::reshape && kind != OpKind::transpose) return {};
  const OperatorPtr op = m->op;
  const Quantization q = *n.quantization;
  const DType to = dtype_of(g, n.outputs[0]);
  std::vector<ValueId> inputs = m->inputs;
  for (size_t i = 0; i < (kind == OpKind::concat ? inputs.size() : 1); ++i) {
    auto part = insert_quantized(g, n, Cast::make(to), q, {inputs[i]});
    if (!part.ok()) return part.take_status();
    inputs[i] = *part;
  }
  auto moved = insert(g, n, op, inputs);
  if (!moved.ok()) return moved.take_status();
  g.replace_uses(n.outputs[0], *moved);
  g.erase_node(id);
  return {};
}

}  // namespace

Status move_numbers(Graph& graph) {
  for (const NodeId id : nodes_of(graph)) {
    auto moved = move_behind(graph, id);
    if (!moved.ok()) return moved.take_status();
  }
  std::vector<NodeId> order = nodes_of(graph);
  for (size_t i = order.size(); i-- > 0;) ANYDIM_TRY(quantize_before(graph, order[i]));
  return {};
}

// --- from one scale to another ------------------------------------------------------------------------------------

namespace {

bool same_factors(const Quantization& a, int of_a, const Quantization& b, int of_b) {
  const auto same = [](const Factors& x, const Factors& y) { return x.axis == y.axis && x.values == y.values; };
  return same(a.scale[of_a], b.scale[of_b]) && same(a.zero_point[of_a], b.zero_point[of_b]);
}

// round(s * q / s) is q where neither product nor quotient leaves the normal numbers.
bool is_tame(const Factors& scale) {
  return std::all_of(scale.values.begin(), scale.values.end(), [](float s) { return s > 0x1p-100f && s < 0x1p100f; });
}

}  // namespace

Status merge_conversions(Graph& graph) {
  for (const NodeId id : nodes_of(graph)) {
    const Node& n = graph.node(id);
    if (!quantizes(graph, n)) continue;
    const Node* d = dequantizes(graph, n.inputs[0]);
    if (!d) continue;
    const ValueId x = d->inputs[0];
    if (same_factors(*d->quantization, 0, *n.quantization, kResult) && dtype_of(graph, x) == dtype_of(graph, n.outputs[0]) &&
        is_tame(d->quantization->scale[0])) {
      graph.replace_uses(n.outputs[0], x);
      graph.erase_node(id);
    }
  }
  return {};
}

// --- functions of two ------------------------------------------------------------------------------------------------

namespace {

bool joins(BinaryFunction f) {
  switch (f) {
    case BinaryFunction::add:
    case BinaryFunction::sub:
    case BinaryFunction::mul:
    case BinaryFunction::div:
    case BinaryFunction::max:
    case BinaryFunction::min: return true;
    default: return false;
  }
}
bool is_plain_binary(const Node* n) { return n && as<Binary>(*n->op) && !n->quantization && n->post_ops.count == 0; }

// Input `i` as the numbers that it stands for, if these have one scale.
const Node* dequantizes_tensor(const Graph& g, ValueId v) {
  const Node* d = dequantizes(g, v);
  return d && per_tensor(*d->quantization, 0) ? d : nullptr;
}

// Of a sum, the product of numbers that alone is one of its terms; the other one is `addend`, which lies within its dims.
const Node* product_of_sum(Graph& g, const Node& sum, ValueId* addend) {
  if (as<Binary>(*sum.op)->function() != BinaryFunction::add || sum.inputs[0] == sum.inputs[1]) return nullptr;
  for (int turn = 0; turn < 2; ++turn) {
    const ValueId v = sum.inputs[turn ? 1 : 0], other = sum.inputs[turn ? 0 : 1];
    const Node* p = g.producer(v);
    if (!is_plain_binary(p) || as<Binary>(*p->op)->function() != BinaryFunction::mul || only_user(g, v) != &sum) continue;
    if (!dequantizes_tensor(g, p->inputs[0]) && !dequantizes_tensor(g, p->inputs[1])) continue;
    const SymDims& dims = g.value(v).type.dims;
    if (dtype_of(g, other) != DType::f32 || dequantizes(g, other) || !same_dims(g, dims, g.value(sum.outputs[0]).type.dims) ||
        !fits_into(g, g.value(other).type.dims, dims))
      continue;
    *addend = other;
    return p;
  }
  return nullptr;
}

}  // namespace

Status join_binary(Graph& graph) {
  for (const NodeId id : nodes_of(graph)) {
    const Node& n = graph.node(id);
    if (!quantizes(graph, n) || !per_tensor(*n.quantization, kResult)) continue;
    const Node* b = graph.producer(n.inputs[0]);
    if (!is_plain_binary(b) || only_user(graph, n.inputs[0]) != &n || !joins(as<Binary>(*b->op)->function())) continue;
    ValueId addend = kNoValue;  // of a product and a sum, as a batch normalisation is: a number per channel each
    if (const Node* product = product_of_sum(graph, *b, &addend)) b = product;
    Quantization q;
    q.result = dtype_of(graph, n.outputs[0]);
    q.scale[kResult] = n.quantization->scale[kResult];
    q.zero_point[kResult] = n.quantization->zero_point[kResult];
    std::vector<ValueId> inputs = b->inputs;
    int numbers = 0;
    for (int i = 0; i < 2; ++i) {
      const Node* d = dequantizes_tensor(graph, inputs[static_cast<size_t>(i)]);
      if (!d) continue;
      q.scale[i] = d->quantization->scale[0];
      q.zero_point[i] = d->quantization->zero_point[0];
      inputs[static_cast<size_t>(i)] = d->inputs[0];
      ++numbers;
    }
    if (numbers == 0) continue;
    bool known = true;
    for (const ValueId v : inputs) known = known && (is_8_bit(dtype_of(graph, v)) || dtype_of(graph, v) == DType::f32);
    if (!known) continue;
    auto made = insert_quantized(graph, n, b->op, std::move(q), std::move(inputs));
    if (!made.ok()) return made.take_status();
    if (addend != kNoValue)
      graph.append_post_op(graph.producer(*made)->id, {.kind = PostOp::Kind::binary, .binary = BinaryFunction::add}, addend);
    graph.replace_uses(n.outputs[0], *made);
    graph.erase_node(id);
  }
  return {};
}

// --- products --------------------------------------------------------------------------------------------------------

namespace {

// One factor for all of the operand, or one per row, or per output channel or column.
bool factors_of_result(const Graph& g, const Node& product, int operand, const Node& d) {
  const auto rank = [&](size_t i) { return g.value(product.inputs[i]).type.dims.rank; };
  for (const Factors* f : {&d.quantization->scale[0], &d.quantization->zero_point[0]})
    if (f->axis >= 0 && Quantization::axis_of_result(*product.op, operand, f->axis, rank(0), rank(1), kMaxRank) < 0) return false;
  return true;
}

// Of a transposed convolution: as many phases as are packed, and no panels that are mostly empty, as groups of few channels would have.
bool suits_numbers(const Graph& g, const Node& n) {
  constexpr int64_t kLeastOfGroup = 16;
  const auto* t = as<ConvTranspose>(*n.op);
  const Dim columns = g.value(n.inputs[1]).type.dims[1];
  return t->phases() <= ConvTranspose::kMostPhasesOfNumbers &&
         (t->get().group == 1 || (columns.is_number() && columns.number() >= kLeastOfGroup));
}

}  // namespace

Status fold_products(Graph& graph) {
  for (const NodeId id : nodes_of(graph)) {
    const Node& n = graph.node(id);
    if (!n.op || n.quantization || n.post_ops.count > 0 || n.outputs.size() != 1) continue;
    if (!as<Matmul>(*n.op) && !as<Convolution>(*n.op) && !(as<ConvTranspose>(*n.op) && suits_numbers(graph, n))) continue;
    if (const auto* m = as<Matmul>(*n.op); m && (m->get().alpha != 1.f || m->get().beta != 1.f)) continue;
    const Node *a = dequantizes(graph, n.inputs[0]), *b = dequantizes(graph, n.inputs[1]);
    if (!a || !b || !factors_of_result(graph, n, 0, *a) || !factors_of_result(graph, n, 1, *b)) continue;
    if (as<ConvTranspose>(*n.op) && !(per_tensor(*a->quantization, 0) && graph.value(b->inputs[0]).constant)) continue;
    Quantization q;
    q.result = DType::f32;
    q.scale[0] = a->quantization->scale[0];
    q.zero_point[0] = a->quantization->zero_point[0];
    q.scale[1] = b->quantization->scale[0];
    q.zero_point[1] = b->quantization->zero_point[0];
    std::vector<ValueId> inputs = n.inputs;
    inputs[0] = a->inputs[0];
    inputs[1] = b->inputs[0];
    auto made = insert_quantized(graph, n, n.op, std::move(q), std::move(inputs));
    if (!made.ok()) return made.take_status();
    graph.replace_uses(n.outputs[0], *made);
    graph.erase_node(id);
  }
  return {};
}

// --- scales that come with the run -------------------------------------------------------------------------------------

namespace {

// v = left * right with the scale of a left side, known at run time, and that of weights.
bool is_product_of_scales(const Graph& g, ValueId v, ValueId* left, float* right) {
  const Node* n = made_by<Binary>(g, v);
  if (!n || as<Binary>(*n->op)->function() != BinaryFunction::mul) return false;
  for (int turn = 0; turn < 2; ++turn) {
    const ValueId a = n->inputs[turn ? 1 : 0], b = n->inputs[turn ? 0 : 1];
    const SymDims& dims = g.value(a).type.dims;
    if (g.value(a).constant || dims.rank > 1 || (dims.rank == 1 && !dims[0].is(1)) || !scalar_constant(g, b, 1, right) ||
        !(*right > 0.f && *right < 0x1p127f))
      continue;
    *left = a;
    return true;
  }
  return false;
}

// The product whose sums are `v` as floats, if nothing else is said of them.
const Node* makes_real_sums(const Graph& g, ValueId v) {
  const Node* cast = made_by<Cast>(g, v);
  if (!cast || dtype_of(g, cast->inputs[0]) != DType::i32 || !only_user(g, cast->inputs[0])) return nullptr;
  const Node* p = g.producer(cast->inputs[0]);
  if (!p || !p->quantization || p->post_ops.count > 0 || !(as<Convolution>(*p->op) || as<Matmul>(*p->op))) return nullptr;
  if (!is_8_bit(dtype_of(g, p->inputs[0])) || !is_8_bit(dtype_of(g, p->inputs[1]))) return nullptr;
  const Quantization& q = *p->quantization;
  for (const Factors& f : q.scale)
    if (f.present()) return nullptr;
  return q.result == DType::i32 ? p : nullptr;
}

}  // namespace

Status scale_products(Graph& graph) {
  for (const NodeId id : nodes_of(graph)) {
    const Node& n = graph.node(id);
    if (!n.op || !as<Binary>(*n.op) || as<Binary>(*n.op)->function() != BinaryFunction::mul || n.quantization || n.post_ops.count > 0)
      continue;
    for (int turn = 0; turn < 2; ++turn) {
      const ValueId sums = n.inputs[turn ? 1 : 0];
      const Node* p = makes_real_sums(graph, sums);
      ValueId left = kNoValue;
      float right = 0;
      if (!p || only_user(graph, sums) != &n || !is_product_of_scales(graph, n.inputs[turn ? 0 : 1], &left, &right)) continue;
      if (graph.value(n.outputs[0]).type.dims.rank != graph.value(sums).type.dims.rank) continue;  // a vector times [1] stays one
      Quantization q = *p->quantization;
      q.result = DType::f32;
      q.scale[0].from = From::operand;
      q.scale[1].from = From::attribute;
      q.scale[1].values = {right};
      std::vector<ValueId> tensors = p->post_inputs;  // zero points
      tensors.insert(tensors.begin(), left);          // the scale of input 0 is the first
      auto made = insert_quantized(graph, n, p->op, std::move(q), p->inputs, std::move(tensors));
      if (!made.ok()) return made.take_status();
      graph.replace_uses(n.outputs[0], *made);
      graph.erase_node(id);
      break;
    }
  }
  return {};
}

// --- results ---------------------------------------------------------------------------------------------------------

// Behind the post-ops: a product whose f32 result only one conversion reads stores numbers; and one whose sums only a cast to f32 reads
// stores floats, which that rounds as well.
Status store_numbers(Graph& graph, std::span<const EnginePtr>) {
  for (const NodeId id : nodes_of(graph)) {
    const Node& n = graph.node(id);
    if (!n.op || !as<Cast>(*n.op) || n.post_ops.count > 0) continue;
    const Node* p = graph.producer(n.inputs[0]);
    if (!p || !p->quantization || !has_trait(p->op->kind(), Trait::products) || p->engine != n.engine || p->transfer || n.transfer)
      continue;
    if (only_user(graph, n.inputs[0]) != &n || !is_8_bit(dtype_of(graph, p->inputs[0]))) continue;
    const bool whole = p->quantization->result == DType::i32 && !n.quantization && as<Cast>(*n.op)->to() == DType::f32 &&
                       p->post_ops.count == 0 && !p->quantization->scale[kResult].present();
    if (!whole && !(quantizes(graph, n) && p->quantization->result == DType::f32 && !p->quantization->scale[kResult].present())) continue;
    if (!whole && n.quantization->scale[kResult].axis >= 0) continue;
    Quantization q = *p->quantization;
    q.result = dtype_of(graph, n.outputs[0]);
    if (!whole) {
      q.scale[kResult] = n.quantization->scale[kResult];
      q.zero_point[kResult] = n.quantization->zero_point[kResult];
    }
    graph.set_quantization(p->id, std::move(q));
    graph.replace_uses(n.outputs[0], n.inputs[0]);
    graph.erase_node(id);
  }
  return {};
}

}  // namespace anydim
