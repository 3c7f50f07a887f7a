// SPDX-License-Identifier: Apache-2.0
// The normal form of symbolic dims, a sum of products of atoms, and what follows from it: intervals, divisors,
// exact division, substitution of what is taken to be equal.
#include <algorithm>
#include <numeric>

#include "core/tensor/dim.h"

namespace anydim {

// Graded lexicographic, the largest product first: a monomial order, as exact division needs.
int DimPool::compare(const Term& a, const Term& b) noexcept {
  if (a.degree != b.degree) return a.degree > b.degree ? -1 : 1;
  for (int i = 0; i < a.degree; ++i)
    if (a.atoms[i] != b.atoms[i]) return a.atoms[i] < b.atoms[i] ? -1 : 1;
  return 0;
}

bool DimPool::add_term(Poly* p, const Term& t, int64_t factor) {
  int64_t c;
  if (!checked_mul(t.coefficient, factor, &c)) return false;
  auto at = std::lower_bound(p->begin(), p->end(), t, [](const Term& x, const Term& y) { return compare(x, y) < 0; });
  if (at != p->end() && compare(*at, t) == 0) {
    if (!checked_add(at->coefficient, c, &at->coefficient)) return false;
    if (at->coefficient == 0) p->erase(at);
    return true;
  }
  if (c == 0) return true;
  if (p->size() >= kMaxTerms) return false;
  at = p->insert(at, t);
  at->coefficient = c;
  return true;
}

bool DimPool::multiply(const Term& a, const Term& b, Term* out) {
  if (a.degree + b.degree > kMaxDegree) return false;
  Term t;
  t.degree = a.degree + b.degree;
  std::merge(a.atoms, a.atoms + a.degree, b.atoms, b.atoms + b.degree, t.atoms);
  if (!checked_mul(a.coefficient, b.coefficient, &t.coefficient)) return false;
  *out = t;
  return true;
}

bool DimPool::multiply(const Poly& a, const Poly& b, Poly* out) {
  out->clear();
  for (const Term& x : a)
    for (const Term& y : b) {
      Term t;
      if (!multiply(x, y, &t) || !add_term(out, t, 1)) return false;
    }
  return true;
}

bool DimPool::divide(const Poly& a, const Poly& b, Poly* quotient) {
  quotient->clear();
  if (b.empty()) return false;
  Poly rest = a;
  while (!rest.empty()) {
    // leading term of the rest / leading term of the divisor
    const Term& x = rest[0];
    const Term& y = b[0];
    if (x.coefficient == INT64_MIN || x.coefficient % y.coefficient != 0 || x.degree < y.degree) return false;
    Term q;
    q.coefficient = x.coefficient / y.coefficient;
    int j = 0;
    for (int i = 0; i < x.degree; ++i) {
      if (j < y.degree && x.atoms[i] == y.atoms[j]) ++j;
      else if (q.degree + y.degree < x.degree) q.atoms[q.degree++] = x.atoms[i];
      else return false;
    }
    if (j != y.degree) return false;
    for (const Term& d : b) {
      Term t;
      if (!multiply(q, d, &t) || !add_term(&rest, t, -1)) return false;
    }
    if (!add_term(quotient, q, 1)) return false;
  }
  return true;
}

int64_t DimPool::constant_of(const Poly& p) { return !p.empty() && p.back().degree == 0 ? p.back().coefficient : 0; }

bool DimPool::normal(Dim d, Poly* out) const {
  out->clear();
  if (d.is_number()) {
    if (d.number() != 0) out->push_back(Term{d.number(), 0, {}});
    return true;
  }
  *out = polys_[static_cast<size_t>(d.expr())];
  if (assumed_.empty()) return true;
  return substitute(out, [this](int32_t atom) {
    const auto found = assumed_.find(atom);
    return found == assumed_.end() ? nullptr : &found->second;
  });
}

bool DimPool::has_atom(const Poly& p, int32_t atom) {
  return std::any_of(p.begin(), p.end(),
                     [atom](const Term& t) { return std::find(t.atoms, t.atoms + t.degree, atom) != t.atoms + t.degree; });
}

bool DimPool::is_made_of_earlier(Dim d, int32_t than) const {
  Poly p;
  return normal(d, &p) && std::all_of(p.begin(), p.end(), [than](const Term& t) {
           return std::all_of(t.atoms, t.atoms + t.degree, [than](int32_t atom) { return atom < than; });
         });
}

// Puts what `find` gives (null: nothing) in the place of each atom, once.
template <class F> bool DimPool::substitute(Poly* p, F&& find) {
  Poly next;
  bool changed = false;
  for (const Term& t : *p) {
    Poly product{Term{t.coefficient, 0, {}}};
    for (int i = 0; i < t.degree; ++i) {
      Poly grown;
      const Poly* const found = find(t.atoms[i]);
      if (!multiply(product, found ? *found : Poly{Term{1, 1, {t.atoms[i]}}}, &grown)) return false;
      changed |= found != nullptr;
      product = std::move(grown);
    }
    for (const Term& x : product)
      if (!add_term(&next, x, 1)) return false;
  }
  if (changed) *p = std::move(next);
  return true;
}

bool DimPool::difference(Dim a, Dim b, Poly* out) const {
  Poly q;
  if (!normal(a, out) || !normal(b, &q)) return false;
  for (const Term& t : q)
    if (!add_term(out, t, -1)) return false;
  return true;
}

// Solves for the atom made last that stands alone with coefficient +-1: x = -(rest) / coefficient.
bool DimPool::solve(Dim a, Dim b, int32_t* atom, Poly* rest) const {
  Poly p;
  if (!difference(a, b, &p)) return false;
  int best = -1;
  for (size_t i = 0; i < p.size(); ++i) {
    const Term& t = p[i];
    if (t.degree != 1 || (t.coefficient != 1 && t.coefficient != -1)) continue;
    bool alone = true;
    for (size_t k = 0; k < p.size(); ++k)
      for (int j = 0; k != i && j < p[k].degree; ++j) alone &= p[k].atoms[j] != t.atoms[0];
    if (alone && (best < 0 || t.atoms[0] > p[static_cast<size_t>(best)].atoms[0])) best = static_cast<int>(i);
  }
  if (best < 0) return false;
  const Term x = p[static_cast<size_t>(best)];
  *atom = x.atoms[0];
  for (size_t i = 0; i < p.size(); ++i)
    if (static_cast<int>(i) != best && !add_term(rest, p[i], -x.coefficient)) return false;
  return true;
}

bool DimPool::can_assume_equal(Dim a, Dim b) const {
  int32_t atom = 0;
  Poly rest;
  return solve(a, b, &atom, &rest);
}

void DimPool::assume_equal(Dim a, Dim b) {
  int32_t atom = 0;
  Poly rest;
  if (!solve(a, b, &atom, &rest)) return;  // still guarded, only not used for simplification
  // The rest has no assumed atoms, being a normal form, and not this one. What was assumed before may have it: it is put in there,
  // too, so that one substitution finds the normal form, and no assumption leads back to another.
  std::unordered_map<int32_t, Poly> next = assumed_;
  for (auto& [other, poly] : next)
    if (has_atom(poly, atom) && !substitute(&poly, [&](int32_t a) { return a == atom ? &rest : nullptr; })) return;
  next[atom] = std::move(rest);
  assumed_ = std::move(next);
}

Dim DimPool::simplify(Dim d) {
  Poly p;
  return d.is_number() || assumed_.empty() || !normal(d, &p) ? d : build(std::move(p));
}

Interval DimPool::interval(const Poly& p) const {
  Interval sum{0, 0};
  for (const Term& t : p) {
    Interval r{t.coefficient, t.coefficient};
    for (int i = 0; i < t.degree; ++i) {
      const Interval a = exprs_[static_cast<size_t>(t.atoms[i])].range;
      const int64_t corners[4] = {saturating_mul(r.min, a.min), saturating_mul(r.min, a.max), saturating_mul(r.max, a.min),
                                  saturating_mul(r.max, a.max)};
      r = {*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
    }
    // An unbounded side stays unbounded, whatever is added.
    sum.min = sum.min <= -kMaxSize || r.min <= -kMaxSize ? -kMaxSize : saturating_add(sum.min, r.min);
    sum.max = sum.max >= kMaxSize || r.max >= kMaxSize ? kMaxSize : saturating_add(sum.max, r.max);
  }
  return sum;
}

int64_t DimPool::divisor_of(const Poly& p) const {
  int64_t g = 0;
  for (const Term& t : p) {
    int64_t d = t.coefficient == INT64_MIN ? kMaxSize : std::abs(t.coefficient);
    for (int i = 0; i < t.degree; ++i) d = saturating_mul(d, exprs_[static_cast<size_t>(t.atoms[i])].divisor);
    g = std::gcd(g, d);
  }
  return g == 0 ? 1 : g;
}

// coefficient * atoms as nested products, with symbols put back for their parts (32 * (h // 32) is h).
Dim DimPool::build_product(Term t) {
  for (int i = 0; i < t.degree; ++i)
    if (auto part = parts_.find(t.atoms[i]); part != parts_.end()) {
      const int64_t m = exprs_[static_cast<size_t>(t.atoms[i])].b.number();
      if (t.coefficient % m != 0) continue;
      t.coefficient /= m;
      t.atoms[i] = part->second;
    }
  Dim d = 1;
  Poly poly{Term{1, 0, {}}};
  for (int i = 0; i < t.degree; ++i) {
    const Dim atom = Dim::expression(t.atoms[i]);
    Poly grown;  // an atom's own form is itself; that of a symbol with parts has its multiple, by which t was divided
    multiply(poly, polys_[static_cast<size_t>(t.atoms[i])], &grown);
    poly = std::move(grown);
    d = i == 0 ? atom : make(DimOp::mul, d, atom, poly);
  }
  if (t.degree == 0) return t.coefficient;
  if (t.coefficient == 1) return d;
  for (Term& x : poly) x.coefficient *= t.coefficient;
  return make(DimOp::mul, t.coefficient, d, poly);
}

// The expression of a normal form: positive terms, then negative ones, then the constant ("h - 2*w + 1"; "5 - w").
Dim DimPool::build(Poly p) {
  Dim sum = 0;
  Poly so_far;
  const bool constant_first =
      constant_of(p) > 0 && std::all_of(p.begin(), p.end(), [](const Term& t) { return t.degree == 0 || t.coefficient < 0; });
  for (int pass = 0; pass < 3; ++pass)
    for (const Term& t : p) {
      const int belongs = t.degree == 0 ? (constant_first ? 0 : 2) : t.coefficient > 0 ? 0 : 1;
      if (belongs != pass) continue;
      add_term(&so_far, t, 1);
      if (sum.is(0)) {
        sum = build_product(t);
        continue;
      }
      Term positive = t;
      const bool minus = t.coefficient < 0 && t.coefficient != INT64_MIN;
      if (minus) positive.coefficient = -t.coefficient;
      const Dim operand = build_product(positive);
      sum = make(minus ? DimOp::sub : DimOp::add, sum, operand, so_far);
      const size_t id = static_cast<size_t>(sum.expr());
      const Interval r = interval(so_far);  // at least as tight as the sum of two intervals
      exprs_[id].range = {std::max(exprs_[id].range.min, r.min), std::min(exprs_[id].range.max, r.max)};
    }
  if (!sum.is_number()) exprs_[static_cast<size_t>(sum.expr())].divisor = divisor_of(p);
  return sum;
}

Interval DimPool::range_of(const DimExpr& e) const {
  const Interval a = interval(e.a), b = interval(e.b);
  const auto unbounded_sum = [](int64_t x, int64_t y) {
    if (x >= kMaxSize || y >= kMaxSize) return kMaxSize;
    if (x <= -kMaxSize || y <= -kMaxSize) return -kMaxSize;
    return saturating_add(x, y);
  };
  const auto corners = [](int64_t w, int64_t x, int64_t y, int64_t z) {
    return Interval{std::min(std::min(w, x), std::min(y, z)), std::max(std::max(w, x), std::max(y, z))};
  };
  // An unbounded side stays unbounded; by an unbounded divisor anything comes near 0.
  const auto quotient = [&](Interval r) {
    if (a.max >= kMaxSize) r.max = kMaxSize;
    if (a.min <= -kMaxSize) r.min = -kMaxSize;
    if (b.max >= kMaxSize) r = {std::min<int64_t>(r.min, a.min < 0 ? -1 : 0), std::max<int64_t>(r.max, a.max > 0 ? 1 : 0)};
    return r;
  };
  switch (e.op) {
    case DimOp::symbol: return {e.promise.min, e.promise.max};
    case DimOp::add: return {-unbounded_sum(-a.min, -b.min), unbounded_sum(a.max, b.max)};
    case DimOp::sub: return {-unbounded_sum(-a.min, b.max), unbounded_sum(a.max, -b.min)};
    case DimOp::mul:
      return corners(saturating_mul(a.min, b.min), saturating_mul(a.min, b.max), saturating_mul(a.max, b.min),
                     saturating_mul(a.max, b.max));
    case DimOp::floor_div:
    case DimOp::ceil_div: {
      const int64_t lo = std::max<int64_t>(b.min, 1), hi = std::max<int64_t>(b.max, 1);
      return quotient(e.op == DimOp::floor_div ? corners(anydim::floor_div(a.min, lo), anydim::floor_div(a.min, hi),
                                                         anydim::floor_div(a.max, lo), anydim::floor_div(a.max, hi))
                                               : corners(anydim::ceil_div(a.min, lo), anydim::ceil_div(a.min, hi),
                                                         anydim::ceil_div(a.max, lo), anydim::ceil_div(a.max, hi)));
    }
    case DimOp::mod: return {0, b.max >= kMaxSize ? kMaxSize : std::max<int64_t>(b.max - 1, 0)};
    case DimOp::min: return {std::min(a.min, b.min), std::min(a.max, b.max)};
    case DimOp::max: return {std::max(a.min, b.min), std::max(a.max, b.max)};
    case DimOp::broadcast:
    case DimOp::select: return {std::min(a.min, b.min), std::max(a.max, b.max)};
    case DimOp::equal:
    case DimOp::less: return {0, 1};
    case DimOp::trunc_div: {
      if (b.min <= 0) return {-kMaxSize, kMaxSize};
      return quotient(corners(a.min / b.min, a.min / b.max, a.max / b.min, a.max / b.max));
    }
  }
  return {-kMaxSize, kMaxSize};
}

}  // namespace anydim
