// SPDX-License-Identifier: Apache-2.0
// What networks with gates and linear attention are made of (opset 27 and later): SwiGLU, CausalConvWithState, LinearAttention. They
// become operators that there are; LinearAttention a loop over the steps, so that a sequence may be cut anywhere.
#include <cmath>

#include "core/graph/control_flow.h"
#include "core/ops/operators/binary.h"
#include "core/ops/operators/concat.h"
#include "core/ops/operators/convolution.h"
#include "core/ops/operators/matmul.h"
#include "core/ops/operators/reshape.h"
#include "core/ops/operators/unary.h"
#include "onnx/operators/attention.h"
#include "onnx/walk/operators.h"

namespace anydim::onnx {
namespace {

using B = BinaryFunction;
using U = UnaryFunction;

void swiglu(NodeImport& n) {
  const ValueId a = n.in(0), b = n.in(1);
  const float alpha = n.real("alpha", 1.f);
  if (!n.ok()) return;
  if (n.rank(a) != n.rank(b)) n.wrong("inputs of rank {} and {}; expected the same dims", n.rank(a), n.rank(b));
  for (int i = 0; n.ok() && i < n.rank(a); ++i) n.require_equal(n.dims(b)[i], n.dims(a)[i], formatted("dim {} of input 1", i));
  const ValueId x = n.widened(a);
  const ValueId gate = alpha == 1.f ? n.unary(U::silu, x) : n.unary(U::quick_gelu, x, alpha);
  n.out(0, n.cast(n.binary(B::mul, gate, n.widened(b)), n.dtype(a)));
}

void causal_conv_with_state(NodeImport& n) {
  const ValueId x = n.in(0), w = n.in(1);
  const int activation = n.choice("activation", "none", {"none", "silu", "swish"});
  if (n.ok() && (n.rank(x) != 3 || n.rank(w) != 3)) n.wrong("inputs of rank {} and {}; expected 3", n.rank(x), n.rank(w));
  if (!n.ok()) return;
  DimPool& pool = n.pool();
  const SymDims dims = n.dims(x);
  const Dim channels = n.dims(w)[0], before = pool.sub(n.dims(w)[2], 1);
  if (!channels.is_number()) return n.unsupported("the number of channels, {}, is dynamic; expected a number", pool.text(channels));
  n.require_equal(dims[1], channels, "the channels of input 0");
  n.require_equal(n.dims(w)[1], 1, "dim 1 of the weights");
  const SymDims state{dims[0], channels, before};
  ValueId past = kNoValue;
  if (n.has(3)) {
    past = n.in(3);
    if (n.ok() && n.rank(past) != 3) n.wrong("past_state has rank {}; expected 3", n.rank(past));
    for (int i = 0; n.ok() && i < 3; ++i) n.require_equal(n.dims(past)[i], state[i], formatted("dim {} of past_state", i));
  } else {
    past = n.expand(n.reshape(n.scalar(n.dtype(x), 0.0), SymDims{1, 1, 1}), state);
  }
  const ValueId all = n.add(Concat::make(2), {past, x});
  Convolution::Attributes a;
  a.spatial = 1;
  a.group = channels.number();
  std::vector<ValueId> operands{all, w};
  if (n.has(2)) operands.push_back(n.in(2));
  ValueId y = n.add(Convolution::make(a), std::move(operands));
  if (activation != 0) y = n.unary(U::silu, y);
  n.out(0, y);
  n.out(1, n.slice(all, 2, dims[2], before));
}

// --- LinearAttention -------------------------------------------------------------------------------------------------

// One step in a loop's body; the first failure stays.
class LinearStep {
 public:
  LinearStep(Graph& graph, const ControlName& name) : graph_(graph), name_(name) {}

  ValueId binary(B f, ValueId a, ValueId b) { return add(Binary::make(f), {a, b}); }
  ValueId exp(ValueId x) { return add(Unary::make(U::exp), {x}); }
  ValueId scaled(ValueId x, float by) { return add(Unary::make(U::affine, by, -0.f), {x}); }
  ValueId product(ValueId a, ValueId b) { return add(Matmul::make({}), {a, b}); }
  // With an axis of one element before axis `at`.
  ValueId with_axis(ValueId x, int at) {
    if (!status_.ok()) return kNoValue;
    SymDims dims = graph_.value(x).type.dims;
    dims.insert(at, 1);
    return add(Reshape::make(dims), {x});
  }
  Status take_status() { return std::move(status_); }

 private:
  ValueId add(Result<OperatorPtr> op, std::vector<ValueId> inputs) {
    if (!status_.ok()) return kNoValue;
    if (!op.ok()) return status_ = op.take_status(), kNoValue;
    auto made = graph_.add(*std::move(op), std::move(inputs), name_.name, name_.onnx_type);
    if (!made.ok()) return status_ = made.take_status(), kNoValue;
    return *made;
  }

  Graph& graph_;
  const ControlName& name_;
  Status status_;
};

// [b, t, heads * size] as [b, t, heads, size] in binary32; `size` of 0: what there is.
ValueId packed_heads(NodeImport& n, ValueId x, int64_t heads, const char* what, Dim* size) {
  if (n.ok() && n.rank(x) != 3) n.wrong("{} has rank {}; expected 3", what, n.rank(x));
  if (!n.ok()) return kNoValue;
  const SymDims dims = n.dims(x);
  const Dim found = n.pool().floor_div(dims[2], heads);
  if (size->is(0)) *size = found;
  n.require_equal(dims[2], n.pool().mul(*size, heads), formatted("the last dim of {}", what));
  return n.reshape(n.widened(x), {dims[0], dims[1], heads, *size});
}

// x [batch, sequence, rows * one] or [batch, sequence, rows * all], where rows and all are the last two of `dims`: as these dims, the last
// of them 1 in the first form. Which one it is may be known to a run only; then it is written as the second.
ValueId one_or_all(NodeImport& n, ValueId x, SymDims dims, int64_t rows, const char* what) {
  if (!n.ok()) return kNoValue;
  DimPool& pool = n.pool();
  const Dim last = n.dims(x)[2], all = pool.mul(dims[3], rows), one = pool.equal(last, rows);
  if (!one.is(1) && last.is_number()) n.require_equal(last, all, formatted("the last dim of {}", what));
  if (one.is(1) || last.is_number()) {
    if (one.is(1)) dims[3] = 1;
    return n.reshape(x, dims);
  }
  n.require(pool.select(one, 1, pool.equal(last, all)),
            formatted("the last dim of {}, {}, is {} or {}", what, pool.text(last), rows, pool.text(all)));
  const SymDims whole = dims;
  dims[3] = pool.floor_div(last, rows);
  return n.expand(n.reshape(x, dims), whole);
}

// The factors of the memory at each step, one per head or one per element of its keys.
ValueId decay_of(NodeImport& n, const SymDims& dims, int64_t heads, Dim key_size) {
  const ValueId decay = n.in(4);
  if (n.ok() && n.rank(decay) != 3) n.wrong("decay has rank {}; expected 3", n.rank(decay));
  if (!n.ok()) return kNoValue;
  for (int i = 0; i < 2; ++i) n.require_equal(n.dims(decay)[i], dims[i], formatted("dim {} of decay", i));
  return one_or_all(n, n.widened(decay), {dims[0], dims[1], heads, key_size}, heads, "decay");
}

// How much of what is new is taken at each step, by head.
ValueId beta_of(NodeImport& n, const SymDims& dims, int64_t heads) {
  const ValueId beta = n.in(5);
  if (n.ok() && n.rank(beta) != 3) n.wrong("beta has rank {}; expected 3", n.rank(beta));
  if (!n.ok()) return kNoValue;
  for (int i = 0; i < 2; ++i) n.require_equal(n.dims(beta)[i], dims[i], formatted("dim {} of beta", i));
  const ValueId by_head = one_or_all(n, n.widened(beta), {dims[0], dims[1], 1, heads}, 1, "beta");
  return n.ok() ? n.reshape(by_head, {dims[0], dims[1], n.dims(by_head)[3], 1}) : kNoValue;
}

// A step: `in` is the memory, query, key, value, then decay and beta where there are such.
Status write_linear_step(Border& border, const ControlName& name, std::span<const ValueId> in, bool gated, bool corrected, float scale,
                         std::vector<ValueId>* results) {
  LinearStep s(border.inner(), name);
  size_t next = 4;
  ValueId memory = in[0], fresh = in[3];
  if (gated) memory = s.binary(B::mul, memory, s.with_axis(s.exp(in[next++]), 3));
  if (corrected) {
    const ValueId recalled = s.product(s.with_axis(in[2], 2), memory);  // [b, heads, 1, value size]
    fresh = s.binary(B::mul, s.with_axis(in[next], 3), s.binary(B::sub, s.with_axis(fresh, 2), recalled));
  } else {
    fresh = s.with_axis(fresh, 2);
  }
  memory = s.binary(B::add, memory, s.binary(B::mul, s.with_axis(in[2], 3), fresh));
  *results = {memory, s.scaled(s.product(in[1], memory), scale)};
  return s.take_status();
}

void linear_attention(NodeImport& n) {
  enum Rule { kLinear, kGated, kDelta, kGatedDelta };
  const int rule = n.choice("update_rule", "gated_delta", {"linear", "gated", "delta", "gated_delta"});
  const bool gated = rule == kGated || rule == kGatedDelta, corrected = rule == kDelta || rule == kGatedDelta;
  const int64_t q_heads = n.integer("q_num_heads"), heads = n.integer("kv_num_heads");
  float scale = n.real("scale", 0.f);
  if (n.ok() && (heads < 1 || q_heads < 1 || q_heads % heads != 0))
    n.wrong("q_num_heads is {} and kv_num_heads {}; expected a positive multiple of it", q_heads, heads);
  if (n.ok() && n.has(4) != gated)
    n.wrong("decay is {}, and update_rule {}", n.has(4) ? "given" : "absent", n.text("update_rule", "gated_delta"));
  if (n.ok() && n.has(5) != corrected)
    n.wrong("beta is {}, and update_rule {}", n.has(5) ? "given" : "absent", n.text("update_rule", "gated_delta"));
  const ValueId query = n.in(0);
  Dim key_size = 0, value_size = 0, q_size = 0;
  const ValueId k = packed_heads(n, n.in(1), heads, "key", &key_size), v = packed_heads(n, n.in(2), heads, "value", &value_size);
  q_size = key_size;
  ValueId q = packed_heads(n, query, q_heads, "query", &q_size);
  if (!n.ok()) return;
  const SymDims dims = n.dims(k);
  for (int i = 0; i < 2; ++i) {
    n.require_equal(n.dims(query)[i], dims[i], formatted("dim {} of query", i));
    n.require_equal(n.dims(v)[i], dims[i], formatted("dim {} of value", i));
  }
  if (scale == 0.f) {
    scale = key_size.is_number() ? static_cast<float>(1 / std::sqrt(static_cast<double>(key_size.number()))) : 1.f;
    if (!key_size.is_number()) q = over_root(n, q, key_size);
  }
  q = n.reshape(q, {dims[0], dims[1], heads, q_heads / heads, key_size});

  LoopParts parts;
  const SymDims state{dims[0], heads, key_size, value_size};
  ValueId past = kNoValue;
  if (n.has(3)) {
    past = n.in(3);
    if (n.ok() && n.rank(past) != 4) n.wrong("past_state has rank {}; expected 4", n.rank(past));
    for (int i = 0; n.ok() && i < 4; ++i) n.require_equal(n.dims(past)[i], state[i], formatted("dim {} of past_state", i));
  }
  const DType state_type = n.dtype(n.has(3) ? past : query);
  parts.initial = {past != kNoValue ? n.widened(past) : n.expand(n.reshape(n.scalar(DType::f32, 0.0), SymDims{1, 1, 1, 1}), state)};
  parts.names = {"state", "query", "key", "value"};
  parts.slices = {{q, 1, false}, {k, 1, false}, {v, 1, false}};
  if (gated) {
    parts.slices.push_back({decay_of(n, dims, heads, key_size), 1, false});
    parts.names.emplace_back("decay");
  }
  if (corrected) {
    parts.slices.push_back({beta_of(n, dims, heads), 1, false});
    parts.names.emplace_back("beta");
  }
  parts.stacks.resize(1);
  parts.stacks[0].axis = 1;
  if (!n.ok()) return;
  const NodeProto& node = n.proto();
  const ControlName name{std::string(!node.name.empty() || node.output.empty() ? node.name : node.output[0]), std::string(node.op_type)};
  const WriteBody write = [&](Border& border, std::span<const ValueId> in, std::vector<ValueId>* results) -> Status {
    return write_linear_step(border, name, in, gated, corrected, scale, results);
  };
  auto made = add_loop(n.graph(), parts, write, name);
  if (!made.ok()) return n.fail(made.take_status());
  const SymDims packed{dims[0], dims[1], n.pool().mul(value_size, q_heads)};
  // Of no steps the loop does not know what they would give.
  n.out(0, n.cast(n.reshape((*made)[1], packed), n.dtype(query)));
  n.out(1, n.cast((*made)[0], state_type));
}

constexpr Importer kGatedOperators[] = {
    {"CausalConvWithState", 27, causal_conv_with_state},
    {"LinearAttention", 27, linear_attention},
    {"SwiGLU", 28, swiglu},
};

}  // namespace

std::span<const Importer> gated_importers() { return kGatedOperators; }

}  // namespace anydim::onnx
