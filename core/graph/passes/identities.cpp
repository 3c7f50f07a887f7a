// SPDX-License-Identifier: Apache-2.0
// Pass identities: nodes that hand their input on unchanged go: Identity, x * 1, x / 1, x - 0, casts to the same dtype,
// movers that move nothing. Exact (x + 0 of floats stays: it turns -0 into +0).
#include "core/graph/passes/match.h"
#include "core/graph/passes/passes.h"
#include "core/ops/operators/cast.h"
#include "core/ops/operators/expand.h"
#include "core/ops/operators/pad.h"
#include "core/ops/operators/slice.h"
#include "core/ops/operators/tile.h"
#include "core/ops/operators/transpose.h"

namespace anydim {

namespace {

bool all_are(std::span<const Dim> dims, int64_t v) {
  for (Dim d : dims)
    if (!d.is(v)) return false;
  return true;
}

// True if every element is `v`; f32, f64, i32 and i64 only.
bool uniform(const ConstantTensor* c, double v) {
  if (!c) return false;
  if (c->dtype() == DType::f32)
    for (float x : c->as<float>()) {
      if (!(static_cast<double>(x) == v)) return false;
    }
  else if (c->dtype() == DType::f64)
    for (double x : c->as<double>()) {
      if (!(x == v)) return false;
    }
  else if (c->dtype() == DType::i32)
    for (int32_t x : c->as<int32_t>()) {
      if (static_cast<double>(x) != v) return false;
    }
  else if (c->dtype() == DType::i64)
    for (int64_t x : c->as<int64_t>()) {
      if (x != static_cast<int64_t>(v)) return false;
    }
  else return false;
  return true;
}

bool positive_zero(const ConstantTensor* c) {
  if (!uniform(c, 0)) return false;
  const auto* bytes = static_cast<const unsigned char*>(c->data());
  for (int64_t i = 0; i < c->bytes(); ++i)
    if (bytes[i] != 0) return false;
  return true;
}

// Which input the node hands on, or kNoValue.
ValueId handed_on(Graph& g, const Node& n) {
  if (n.post_ops.count > 0 || n.quantization || n.inputs.empty() || n.inputs[0] == kNoValue || n.outputs.size() != 1) return kNoValue;
  const ValueId x = n.inputs[0];
  const bool same = same_dims(g, g.value(x).type.dims, g.value(n.outputs[0]).type.dims);
  switch (n.op->kind()) {
    case OpKind::unary: return as<Unary>(*n.op)->function() == UnaryFunction::identity ? x : kNoValue;
    case OpKind::cast: return g.value(x).type.dtype == as<Cast>(*n.op)->to() ? x : kNoValue;
    case OpKind::reshape:
    case OpKind::expand: return same ? x : kNoValue;
    case OpKind::concat: return n.inputs.size() == 1 ? x : kNoValue;
    case OpKind::transpose: return as<Transpose>(*n.op)->is_identity() ? x : kNoValue;
    case OpKind::pad: return all_are(n.op->dim_attributes(), 0) ? x : kNoValue;
    case OpKind::tile: return all_are(n.op->dim_attributes(), 1) ? x : kNoValue;
    case OpKind::slice: {
      const auto* s = as<Slice>(*n.op);
      for (int i = 0; i < s->rank(); ++i)
        if (s->steps()[i] != 1 || !s->start(i).is(0)) return kNoValue;
      return same ? x : kNoValue;
    }
    case OpKind::binary: {
      const ValueId y = n.inputs[1];
      const auto *cx = g.value(x).constant.get(), *cy = g.value(y).constant.get();
      switch (as<Binary>(*n.op)->function()) {
        case BinaryFunction::mul:
          if (same && uniform(cy, 1)) return x;
          return uniform(cx, 1) && same_dims(g, g.value(y).type.dims, g.value(n.outputs[0]).type.dims) ? y : kNoValue;
        case BinaryFunction::add:
          if (dtype_is_float(g.value(x).type.dtype)) return kNoValue;
          if (same && uniform(cy, 0)) return x;
          return uniform(cx, 0) && same_dims(g, g.value(y).type.dims, g.value(n.outputs[0]).type.dims) ? y : kNoValue;
        case BinaryFunction::div: return same && uniform(cy, 1) ? x : kNoValue;
        case BinaryFunction::sub: return same && positive_zero(cy) ? x : kNoValue;
        default: return kNoValue;
      }
    }
    default: return kNoValue;
  }
}

}  // namespace

Status passes::identities(Graph& graph) {
  const std::vector<NodeId> order(graph.order().begin(), graph.order().end());
  for (NodeId id : order) {
    const Node& n = graph.node(id);
    const ValueId x = handed_on(graph, n);
    if (x == kNoValue) continue;
    graph.replace_uses(n.outputs[0], x);
    graph.erase_node(id);
  }
  return {};
}

}  // namespace anydim
