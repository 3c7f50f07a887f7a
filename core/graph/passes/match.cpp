// SPDX-License-Identifier: Apache-2.0
// Answers to what match.h asks.
#include "core/graph/passes/match.h"

#include <bit>
#include <cmath>
#include <cstdint>

#include "core/kernels/simd/half.h"

namespace anydim {

bool scalar_constant(const Graph& g, ValueId v, int max_rank, float* value) {
  if (v == kNoValue) return false;
  const ConstantTensor* c = g.value(v).constant.get();
  if (!c || c->dtype() != DType::f32 || c->count() != 1 || c->dims().rank > max_rank) return false;
  *value = c->as<float>()[0];
  return true;
}

namespace {

// made_by() in the dtype that is asked for.
template <class T> const Node* made_in(const Matching& m, ValueId v) {
  const Node* n = made_by<T>(m.graph, v, true);
  return n && m.graph.value(v).type.dtype == m.dtype ? n : nullptr;
}

bool scalar_in(const Matching& m, ValueId v, int max_rank, float* value) {
  if (!dtype_is_half(m.dtype)) return scalar_constant(m.graph, v, max_rank, value);
  if (v == kNoValue) return false;
  const ConstantTensor* c = m.graph.value(v).constant.get();
  if (!c || c->dtype() != m.dtype || c->count() != 1 || c->dims().rank > max_rank) return false;
  const uint16_t bits = c->as<uint16_t>()[0];
  *value = m.dtype == DType::f16 ? f16_to_f32(bits) : bf16_to_f32(bits);
  return true;
}

}  // namespace

bool Matching::nearly(float a, double b) const noexcept {
  if (dtype == DType::f32) return anydim::nearly(a, b);
  return std::abs(static_cast<double>(a) - b) <= (dtype == DType::f16 ? 0x1p-11 : 0x1p-8) * std::abs(b);
}

bool match_unary(const Matching& g, ValueId v, UnaryFunction f, ValueId* x, const Unary** op) {
  const Node* n = made_in<Unary>(g, v);
  if (!n || as<Unary>(*n->op)->function() != f) return false;
  *x = n->inputs[0];
  if (op) *op = as<Unary>(*n->op);
  return true;
}

bool match_binary(const Matching& g, ValueId v, BinaryFunction f, ValueId* a, ValueId* b) {
  const Node* n = made_in<Binary>(g, v);
  if (!n || as<Binary>(*n->op)->function() != f) return false;
  *a = n->inputs[0];
  *b = n->inputs[1];
  return true;
}

bool match_constant(const Matching& g, ValueId v, BinaryFunction f, ValueId* x, float* c) {
  ValueId a, b;
  if (!match_binary(g, v, f, &a, &b)) return false;
  if (scalar_in(g, b, g.graph.value(a).type.dims.rank, c)) {
    *x = a;
    return true;
  }
  if (!is_commutative(f) || !scalar_in(g, a, g.graph.value(b).type.dims.rank, c)) return false;
  *x = b;
  return true;
}

bool match_with(const Matching& g, ValueId v, BinaryFunction f, ValueId x, ValueId* y) {
  ValueId a, b;
  if (!match_binary(g, v, f, &a, &b) || (a != x && b != x)) return false;
  *y = a == x ? b : a;
  return true;
}

bool nearly(float a, double b) { return std::abs(static_cast<double>(a) - b) <= 1e-6 * std::abs(b); }

const Node* only_user(const Graph& g, ValueId v) {
  return g.uses(v) == 1 && g.value(v).users.size() == 1 ? &g.node(g.value(v).users[0]) : nullptr;
}

bool same_dims(Graph& g, const SymDims& a, const SymDims& b) {
  if (a.rank != b.rank) return false;
  for (int i = 0; i < a.rank; ++i)
    if (!g.dims.provably_equal(a[i], b[i])) return false;
  return true;
}

Dim dim_met(const SymDims& part, int axis, int rank) {
  const int at = axis - (rank - part.rank);
  return at < 0 ? Dim(1) : part[at];
}

bool fits_into(Graph& g, const SymDims& part, const SymDims& whole) {
  if (part.rank > whole.rank) return false;
  for (int i = 0; i < whole.rank; ++i) {
    const Dim met = dim_met(part, i, whole.rank);
    if (!met.is(1) && !g.dims.provably_equal(met, whole[i])) return false;
  }
  return true;
}

bool swaps_last_two(const Perm& p) {
  for (int i = 0; i < p.rank; ++i) {
    const int want = i == p.rank - 1 ? p.rank - 2 : i == p.rank - 2 ? p.rank - 1 : i;
    if (p[i] != want) return false;
  }
  return p.rank >= 2;
}

Result<ValueId> insert(Graph& g, const Node& at, Result<OperatorPtr> op, std::vector<ValueId> inputs) {
  if (!op.ok()) return op.take_status();
  auto made = g.insert_before(at.id, *op, std::move(inputs), at.name, at.onnx_type);
  if (!made.ok()) return made.take_status();
  return (*made)[0];
}

ValueId f32_constant(Graph& g, std::string name, const Dims& dims, const std::vector<float>& values) {
  return g.add_constant(std::move(name), ConstantTensor::of<float>(DType::f32, dims, values));
}

}  // namespace anydim
