// SPDX-License-Identifier: Apache-2.0
// Pass activations: activation functions that a model spells out become one function. A choice of what the model means
// (docs/numerics.md, section 8): the function's own arithmetic, with its fewer roundings, takes the place of the steps'. In f32 and in
// 16-bit floats, whose constants are rounded to them.
//
//   hard_sigmoid  clip(x + a; 0, c) / c            (PP-OCR: a = 3, c = 6; also * 1/c)
//   hard_swish    x * clip(x + 3; 0, 6) / 6        in any order of the product; x * hard_sigmoid(x; 1/6, 1/2)
//   silu          x * sigmoid(x);      quick_gelu  x * sigmoid(alpha * x)
//   mish          x * tanh(softplus(x))
//   gelu_erf      x * (1 + erf(x / sqrt 2)) / 2
//   gelu_tanh     x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))) / 2
//   square        x * x, x ^ 2
#include <cmath>
#include <optional>

#include "core/graph/passes/match.h"
#include "core/graph/passes/passes.h"

namespace anydim {

namespace {

struct Function {
  UnaryFunction f;
  ValueId x;
  float alpha = 0.f, beta = 0.f;
};
using Found = std::optional<Function>;

// v = clip(x + a; 0, c) with c > 0, where the clip cuts something: an `a` much larger than c loses the digits of x that count.
bool match_clipped(const Matching& g, ValueId v, ValueId* x, float* a, float* c) {
  ValueId sum;
  const Unary* clip;
  if (!match_unary(g, v, UnaryFunction::clip, &sum, &clip) || !dtype_is_float(g.graph.value(v).type.dtype)) return false;
  if (clip->alpha() != 0.f || !(clip->beta() > 0.f)) return false;
  *c = clip->beta();
  return std::isnormal(1.f / *c) && match_constant(g, sum, BinaryFunction::add, x, a) && std::abs(*a) <= 4 * *c;
}

// v = u * c or u / (1 / c)
bool match_scaled(const Matching& g, ValueId v, ValueId* u, float* c) {
  if (match_constant(g, v, BinaryFunction::mul, u, c)) return true;
  if (!match_constant(g, v, BinaryFunction::div, u, c)) return false;
  *c = 1.f / *c;
  return std::isnormal(*c);  // x / 1e-40 is 0 for 0; 0 times infinity is not
}

Found hard_sigmoid(const Matching& g, ValueId v) {
  ValueId clipped, x;
  float scale, a, c;
  if (!match_scaled(g, v, &clipped, &scale) || !match_clipped(g, clipped, &x, &a, &c) || !g.nearly(scale, 1.f / c)) return {};
  return Function{UnaryFunction::hard_sigmoid, x, 1.f / c, a / c};
}

bool is_hard_swish_gate(const Matching& g, float alpha, float beta) { return g.nearly(alpha, 1.f / 6.f) && g.nearly(beta, 0.5f); }

// The factors of a product: constants multiplied, everything else a factor.
struct Product {
  double constant = 1;
  std::vector<ValueId> factors;
};
void take_apart(const Matching& g, ValueId v, int depth, Product* p) {
  ValueId a, b;
  float c;
  if (depth > 0 && match_scaled(g, v, &a, &c)) {
    p->constant *= c;
    return take_apart(g, a, depth - 1, p);
  }
  if (depth > 0 && match_binary(g, v, BinaryFunction::mul, &a, &b) && a != b) {
    take_apart(g, a, depth - 1, p);
    return take_apart(g, b, depth - 1, p);
  }
  p->factors.push_back(v);
}

// v = x^3
bool is_cube(const Matching& g, ValueId v, ValueId x) {
  ValueId a, b;
  float c;
  if (match_constant(g, v, BinaryFunction::pow, &a, &c)) return a == x && c == 3.f;
  if (!match_with(g, v, BinaryFunction::mul, x, &a)) return false;
  if (match_binary(g, a, BinaryFunction::mul, &a, &b)) return a == x && b == x;
  return match_unary(g, a, UnaryFunction::square, &b) && b == x;
}

// The function whose value is x times gate, if gate is a known function of x.
Found gated(const Matching& g, ValueId x, ValueId gate, double constant) {
  ValueId u, w;
  float a, c;
  const Unary* op;
  if (match_clipped(g, gate, &w, &a, &c) && w == x && c == 6.f && a == 3.f && g.nearly(static_cast<float>(constant), 1.f / 6.f))
    return Function{UnaryFunction::hard_swish, x};
  if (constant == 1.0) {
    if (match_unary(g, gate, UnaryFunction::hard_sigmoid, &w, &op) && w == x && is_hard_swish_gate(g, op->alpha(), op->beta()))
      return Function{UnaryFunction::hard_swish, x};
    if (Found hs = hard_sigmoid(g, gate); hs && hs->x == x && is_hard_swish_gate(g, hs->alpha, hs->beta))
      return Function{UnaryFunction::hard_swish, x};
    if (match_unary(g, gate, UnaryFunction::sigmoid, &w)) {
      if (w == x) return Function{UnaryFunction::silu, x};
      if (match_scaled(g, w, &u, &c) && u == x) return Function{UnaryFunction::quick_gelu, x, c};
    }
    if (match_unary(g, gate, UnaryFunction::tanh, &w) && match_unary(g, w, UnaryFunction::softplus, &u) && u == x)
      return Function{UnaryFunction::mish, x};
  }
  if (constant != 0.5 || !match_constant(g, gate, BinaryFunction::add, &u, &c) || c != 1.f) return {};
  if (match_unary(g, u, UnaryFunction::erf, &w) && match_scaled(g, w, &u, &c) && u == x && g.nearly(c, 0.70710678f))
    return Function{UnaryFunction::gelu_erf, x};
  if (match_unary(g, u, UnaryFunction::tanh, &w) && match_scaled(g, w, &u, &c) && g.nearly(c, 0.79788456f) &&
      match_with(g, u, BinaryFunction::add, x, &w) && match_scaled(g, w, &u, &c) && g.nearly(c, 0.044715f) && is_cube(g, u, x))
    return Function{UnaryFunction::gelu_tanh, x};
  return {};
}

Found recognise(const Matching& g, ValueId v) {
  ValueId a, b;
  float c;
  if (match_constant(g, v, BinaryFunction::pow, &a, &c) && c == 2.f) return Function{UnaryFunction::square, a};
  if (match_binary(g, v, BinaryFunction::mul, &a, &b) && a == b) return Function{UnaryFunction::square, a};
  if (Found hs = hard_sigmoid(g, v)) return hs;
  Product p;
  take_apart(g, v, 3, &p);
  if (p.factors.size() != 2) return {};
  if (Found f = gated(g, p.factors[0], p.factors[1], p.constant)) return f;
  return gated(g, p.factors[1], p.factors[0], p.constant);
}

}  // namespace

Status passes::activations(Graph& graph) {
  const std::vector<NodeId> order(graph.order().begin(), graph.order().end());
  for (NodeId id : order) {
    const Node& n = graph.node(id);
    if (n.outputs.size() != 1 || graph.uses(n.outputs[0]) == 0) continue;
    const ValueId v = n.outputs[0];
    const DType t = graph.value(v).type.dtype;
    if (t != DType::f32 && !dtype_is_half(t)) continue;
    const Found f = recognise({graph, t}, v);
    // The function keeps the dims of x; the steps might have broadcast it.
    if (!f || !same_dims(graph, graph.value(f->x).type.dims, graph.value(v).type.dims)) continue;
    auto made = insert(graph, n, Unary::make(f->f, f->alpha, f->beta), {f->x});
    if (!made.ok()) return made.take_status();
    graph.replace_uses(v, *made);
  }
  return {};
}

}  // namespace anydim
