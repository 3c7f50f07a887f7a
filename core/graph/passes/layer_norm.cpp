// SPDX-License-Identifier: Apache-2.0
// Pass layer_norm: (x - mean) / sqrt(mean((x - mean)^2) + eps) [* gamma [+ beta]] over the last axes becomes layer_norm. A
// choice of what the model means (docs/numerics.md, section 8).
// Spellings: the square as d * d, d ^ 2 or square(d); the root as sqrt or ^ 0.5; the division as / or * reciprocal.
#include <bit>

#include "core/graph/passes/match.h"
#include "core/graph/passes/passes.h"
#include "core/ops/operators/layer_norm.h"
#include "core/ops/operators/reduce.h"

namespace anydim {

namespace {

// v = mean of x over its last axes, kept as 1; returns the first of them.
bool match_mean(const Graph& g, ValueId v, ValueId* x, int* axis) {
  const Node* n = made_by<Reduce>(g, v);
  if (!n) return false;
  const auto* op = as<Reduce>(*n->op);
  *x = n->inputs[0];
  const int rank = g.value(*x).type.dims.rank;
  uint32_t mask;
  if (op->reduction() != ReduceKind::mean || !op->keepdims() || !op->axis_mask(rank, &mask).ok() || mask == 0) return false;
  *axis = std::countr_zero(mask);
  return mask == (1u << rank) - (1u << *axis);
}

bool is_square_of(const Graph& g, ValueId v, ValueId d) {
  ValueId a, b;
  float c;
  if (match_unary(g, v, UnaryFunction::square, &a)) return a == d;
  if (match_constant(g, v, BinaryFunction::pow, &a, &c)) return a == d && c == 2.f;
  return match_binary(g, v, BinaryFunction::mul, &a, &b) && a == d && b == d;
}

// v = sqrt(u)
bool match_root(const Graph& g, ValueId v, ValueId* u) {
  float c;
  if (match_unary(g, v, UnaryFunction::sqrt, u)) return true;
  return match_constant(g, v, BinaryFunction::pow, u, &c) && c == 0.5f;
}

// v = d / root
bool match_quotient(const Graph& g, ValueId v, ValueId* d, ValueId* under_root) {
  ValueId a, b, r;
  if (match_binary(g, v, BinaryFunction::div, d, &r)) return match_root(g, r, under_root);
  if (!match_binary(g, v, BinaryFunction::mul, &a, &b)) return false;
  for (int turn = 0; turn < 2; ++turn, std::swap(a, b))
    if (match_unary(g, b, UnaryFunction::reciprocal, &r) && match_root(g, r, under_root)) {
      *d = a;
      return true;
    }
  return false;
}

struct Normalised {
  ValueId x;
  int axis;
  float epsilon;
};

bool match_normalised(const Graph& g, ValueId v, Normalised* out) {
  ValueId d, under_root, variance, squared, mean, x;
  int axis;
  if (!match_quotient(g, v, &d, &under_root) || !match_constant(g, under_root, BinaryFunction::add, &variance, &out->epsilon) ||
      !(out->epsilon >= 0.f) || !match_mean(g, variance, &squared, &out->axis) || !is_square_of(g, squared, d) ||
      !match_binary(g, d, BinaryFunction::sub, &out->x, &mean) || !match_mean(g, mean, &x, &axis))
    return false;
  return x == out->x && axis == out->axis;
}

// The constant operand of `user` beside `v` if it holds one value per normalised element, the same for every row: along the
// normalised axes it has their dims, along the others it does not vary. kNoValue if it is anything else.
ValueId per_feature(Graph& g, const Node* user, BinaryFunction f, ValueId v, int axis) {
  ValueId c;
  if (!user || user->outputs.size() != 1 || !match_with(g, user->outputs[0], f, v, &c) || !g.value(c).constant) return kNoValue;
  const SymDims& whole = g.value(v).type.dims;
  const SymDims& part = g.value(c).type.dims;
  if (part.rank > whole.rank) return kNoValue;
  Dims dims;
  for (int i = 0; i < whole.rank; ++i) {
    const Dim met = dim_met(part, i, whole.rank);
    if (i < axis ? !met.is(1) : !(met.is_number() && met == whole[i])) return kNoValue;
    if (i >= axis) dims.push_back(met.number());
  }
  const ConstantTensor& t = *g.value(c).constant;
  if (t.dims() == dims) return c;
  return g.add_constant(g.value(c).name, ConstantTensor::reshaped(t, dims));
}

}  // namespace

Status passes::layer_norm(Graph& graph) {
  const std::vector<NodeId> order(graph.order().begin(), graph.order().end());
  for (NodeId id : order) {
    const Node& n = graph.node(id);
    Normalised found;
    if (n.outputs.size() != 1 || graph.uses(n.outputs[0]) == 0 || !match_normalised(graph, n.outputs[0], &found)) continue;
    ValueId end = n.outputs[0];
    std::vector<ValueId> inputs{found.x};
    const Node* at = &n;
    if (const Node* user = only_user(graph, end)) {
      const ValueId gamma = per_feature(graph, user, BinaryFunction::mul, end, found.axis);
      if (gamma != kNoValue) {
        inputs.push_back(gamma);
        end = user->outputs[0];
        at = user;
        user = only_user(graph, end);
        const ValueId beta = per_feature(graph, user, BinaryFunction::add, end, found.axis);
        if (beta != kNoValue) {
          inputs.push_back(beta);
          end = user->outputs[0];
          at = user;
        }
      }
    }
    auto made = insert(graph, *at, LayerNorm::make(found.axis - graph.value(found.x).type.dims.rank, found.epsilon), std::move(inputs));
    if (!made.ok()) return made.take_status();
    graph.replace_uses(end, *made);
  }
  return {};
}

}  // namespace anydim
