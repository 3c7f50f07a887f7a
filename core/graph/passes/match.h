// SPDX-License-Identifier: Apache-2.0
// The questions that rewritings ask of a graph: is this value made by that function, of what, with which constant; who
// alone reads it.
#pragma once

#include <initializer_list>
#include <vector>

#include "core/graph/ir.h"
#include "core/ops/operators/binary.h"
#include "core/ops/operators/unary.h"

namespace anydim {

// The node that makes `v` if it is of type T, has no post-ops, and computes f32 (or `any_dtype`); else null.
template <class T> const Node* made_by(const Graph& g, ValueId v, bool any_dtype = false) {
  const Node* n = g.producer(v);
  if (!n || !as<T>(*n->op) || n->post_ops.count > 0 || n->quantization) return nullptr;
  return any_dtype || g.value(v).type.dtype == DType::f32 ? n : nullptr;
}

// What the questions below ask: a graph, and in which dtype it computes what is looked for.
struct Matching {
  const Graph& graph;
  DType dtype = DType::f32;
  Matching(const Graph& g, DType t = DType::f32) noexcept : graph(g), dtype(t) {}  // NOLINT(google-explicit-constructor)
  // Equal within a few units in the last place of a constant typed by hand, rounded to the dtype.
  bool nearly(float a, double b) const noexcept;
};

// The one element of a constant f32 tensor with one element. A rank above `max_rank` would enlarge what it meets.
bool scalar_constant(const Graph& g, ValueId v, int max_rank, float* value);

// v = function(x); any alpha, beta.
bool match_unary(const Matching& g, ValueId v, UnaryFunction f, ValueId* x, const Unary** op = nullptr);
// v = function(a, b)
bool match_binary(const Matching& g, ValueId v, BinaryFunction f, ValueId* a, ValueId* b);
// v = function(x, c) with a scalar constant c on the right; for add and mul on either side.
bool match_constant(const Matching& g, ValueId v, BinaryFunction f, ValueId* x, float* c);
// v = function(x, y) in either order, given x.
bool match_with(const Matching& g, ValueId v, BinaryFunction f, ValueId x, ValueId* y);

bool nearly(float a, double b);  // equal within a few units in the last place of a constant typed by hand

// The only node that uses v, if v is no graph output and is used once; else null.
const Node* only_user(const Graph& g, ValueId v);

// Dims that can be shown to be the same, axis by axis.
bool same_dims(Graph& g, const SymDims& a, const SymDims& b);
// The dim of an operand with dims `part` that meets axis `axis` of a value of rank `rank`: 1 where it has none.
Dim dim_met(const SymDims& part, int axis, int rank);
// True if `part` can be read with dims `whole` by broadcasting, for every shape, without enlarging `whole`.
bool fits_into(Graph& g, const SymDims& part, const SymDims& whole);

// A transpose that a matmul's flag can stand for.
bool swaps_last_two(const Perm& perm);

// A node computing `op` of `inputs` just before `at`, named after it; its only output.
Result<ValueId> insert(Graph& g, const Node& at, Result<OperatorPtr> op, std::vector<ValueId> inputs);
// An f32 constant.
ValueId f32_constant(Graph& g, std::string name, const Dims& dims, const std::vector<float>& values);

}  // namespace anydim
