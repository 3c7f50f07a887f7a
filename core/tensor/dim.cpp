// SPDX-License-Identifier: Apache-2.0
// Symbolic dims: how expressions are made, and what is known of them. The algebra of the normal form is in
// dim_normal.cpp, text in dim_text.cpp, evaluation in dim_program.cpp.
#include "core/tensor/dim.h"

#include <algorithm>
#include <numeric>

namespace anydim {

namespace {
int64_t bounded(int64_t v) { return std::clamp(v, -kMaxSize, kMaxSize); }
// As floor_mod, for every a.
int64_t modulo(int64_t a, int64_t b) { return a % b < 0 ? a % b + b : a % b; }
}  // namespace

size_t DimPool::KeyHash::operator()(const Key& k) const noexcept {
  uint64_t h = 0x9e3779b97f4a7c15u * (static_cast<uint64_t>(k.op) + 1);
  for (const Dim& d : {k.a, k.b, k.c}) {
    const uint64_t v = d.is_number() ? static_cast<uint64_t>(d.number()) * 2 : static_cast<uint64_t>(d.expr()) * 2 + 1;
    h = (h ^ v) * 0xff51afd7ed558ccdu;
    h ^= h >> 32;
  }
  return static_cast<size_t>(h);
}

Dim DimPool::symbol(std::string name, const DimPromise& promise) {
  const int32_t id = size();
  DimExpr e;
  e.name = std::move(name);
  e.promise = promise;
  e.range = {bounded(promise.min), bounded(promise.max)};
  e.divisor = std::max<int64_t>(promise.multiple_of, 1);
  exprs_.push_back(std::move(e));
  Term self{1, 1, {id}};
  polys_.push_back({self});
  const Dim d = Dim::expression(id);
  if (promise.multiple_of > 1) {
    // h with multiple_of 32 is 32 * (h // 32), and h // 32 is the atom: then h // 8, h // 16 * 2, ... all meet.
    const Dim part = make(DimOp::floor_div, d, promise.multiple_of);
    parts_[part.expr()] = id;
    polys_[static_cast<size_t>(id)] = {Term{promise.multiple_of, 1, {part.expr()}}};
  }
  return d;
}

Dim DimPool::make(DimOp op, Dim a, Dim b, Dim c) {
  const Key key{op, a, b, c};
  if (auto found = known_.find(key); found != known_.end()) return Dim::expression(found->second);
  const int32_t id = size();
  DimExpr e;
  e.op = op;
  e.a = a;
  e.b = b;
  e.c = c;
  e.range = range_of(e);
  exprs_.push_back(std::move(e));
  polys_.push_back({Term{1, 1, {id}}});
  known_.emplace(key, id);
  return Dim::expression(id);
}

// As make, of a sum or product whose normal form is known. Where it was made as an atom (its form was too large then), others'
// forms have that atom, and it stays one.
Dim DimPool::make(DimOp op, Dim a, Dim b, const Poly& form) {
  const int32_t before = size();
  const Dim d = make(op, a, b);
  if (d.expr() == before) polys_[static_cast<size_t>(before)] = form;
  return d;
}

// An operation that the normal form does not look into: folded if its operands are numbers.
Dim DimPool::make_atom(DimOp op, Dim a, Dim b, Dim c) {
  int64_t v;
  if (a.is_number() && b.is_number() && c.is_number() && evaluate(op, a.number(), b.number(), c.number(), &v)) return v;
  const Dim d = make(op, a, b, c);
  const Interval r = exprs_[static_cast<size_t>(d.expr())].range;
  return r.min == r.max && r.min > -kMaxSize && r.min < kMaxSize ? Dim(r.min) : d;
}

Dim DimPool::add(Dim a, Dim b) {
  int64_t v;
  if (a.is_number() && b.is_number() && checked_add(a.number(), b.number(), &v)) return v;
  if (a.is(0)) return b;
  if (b.is(0)) return a;
  Poly p, q;
  if (!normal(a, &p) || !normal(b, &q)) return make(DimOp::add, a, b);
  for (const Term& t : q)
    if (!add_term(&p, t, 1)) return make(DimOp::add, a, b);
  return build(std::move(p));
}

Dim DimPool::sub(Dim a, Dim b) {
  int64_t v;
  if (a.is_number() && b.is_number() && checked_sub(a.number(), b.number(), &v)) return v;
  if (b.is(0)) return a;
  if (a == b) return 0;
  Poly p;
  return difference(a, b, &p) ? build(std::move(p)) : make(DimOp::sub, a, b);
}

Dim DimPool::mul(Dim a, Dim b) {
  int64_t v;
  if (a.is_number() && b.is_number() && checked_mul(a.number(), b.number(), &v)) return v;
  if (a.is(0) || b.is(0)) return 0;
  if (a.is(1)) return b;
  if (b.is(1)) return a;
  Poly p, q, r;
  if (!normal(a, &p) || !normal(b, &q) || !multiply(p, q, &r)) return make(DimOp::mul, a, b);
  return build(std::move(r));
}

// floor(a / c) for a number c > 1. `looked` counts the quotients that were looked through so far.
Dim DimPool::floor_div_by(Dim a, int64_t c, int looked) {
  Poly p;
  if (!normal(a, &p)) return make(DimOp::floor_div, a, c);
  // Whole multiples of c leave: (c*q + r) // c = q + r // c, with coefficients of r in 0..c-1.
  Poly whole, rest;
  int64_t common = c;
  for (Term t : p) {
    const int64_t q = anydim::floor_div(t.coefficient, c), r = modulo(t.coefficient, c);
    if (q != 0) {
      Term w = t;
      w.coefficient = q;
      if (!add_term(&whole, w, 1)) return make(DimOp::floor_div, a, c);
    }
    if (r != 0) {
      t.coefficient = r;
      if (!add_term(&rest, t, 1)) return make(DimOp::floor_div, a, c);
      if (t.degree > 0) common = std::gcd(common, r);
    }
  }
  // (g*x + k) // (g*c) = (x + k // g) // c
  if (common > 1) {
    Poly less;
    for (Term t : rest) {
      t.coefficient = anydim::floor_div(t.coefficient, common);
      if (t.coefficient != 0) add_term(&less, t, 1);
    }
    rest = std::move(less);
    c /= common;
  }
  const auto plus_whole = [&](Dim d) {
    Poly sum = whole, part;
    if (!normal(d, &part)) return make(DimOp::add, build(whole), d);
    for (const Term& t : part)
      if (!add_term(&sum, t, 1)) return make(DimOp::add, build(whole), d);
    return build(std::move(sum));
  };
  if (c == 1) return plus_whole(build(std::move(rest)));
  const Interval r = interval(rest);
  if (r.max < kMaxSize && r.min > -kMaxSize && anydim::floor_div(r.min, c) == anydim::floor_div(r.max, c))
    return plus_whole(anydim::floor_div(r.min, c));
  // (x // d + k) // c = (x + k*d) // (c*d), if that goes down in the order of atoms: with T taken to be 4 * (T // 4), looking
  // through T // 4 finds T, which is 4 * (T // 4) again.
  if (!rest.empty() && rest[0].degree == 1 && rest[0].coefficient == 1 && (rest.size() == 1 || rest[1].degree == 0) &&
      looked < kMaxLooked) {
    const int32_t atom = rest[0].atoms[0];
    const DimExpr e = exprs_[static_cast<size_t>(atom)];
    int64_t divisor, shift;
    if (e.op == DimOp::floor_div && e.b.is_number() && e.b.number() > 0 && is_made_of_earlier(e.a, atom) &&
        checked_mul(e.b.number(), c, &divisor) && checked_mul(e.b.number(), constant_of(rest), &shift))
      return plus_whole(floor_div_by(add(e.a, shift), divisor, looked + 1));
  }
  return plus_whole(make_atom(DimOp::floor_div, build(std::move(rest)), c));
}

Dim DimPool::floor_div(Dim a, Dim b) {
  int64_t v;
  if (a.is_number() && b.is_number() && evaluate(DimOp::floor_div, a.number(), b.number(), 0, &v)) return v;
  if (b.is(1)) return a;
  if (b.is_number() && b.number() > 1) return floor_div_by(a, b.number());
  Poly p, q, r;
  if (!b.is_number() && normal(a, &p) && normal(b, &q) && divide(p, q, &r)) return build(std::move(r));
  return make(DimOp::floor_div, a, b);
}

Dim DimPool::ceil_div(Dim a, Dim b) {
  if (b.is_number() && b.number() > 0) return floor_div(add(a, b.number() - 1), b);
  Poly p, q, r;
  if (!b.is_number() && normal(a, &p) && normal(b, &q) && divide(p, q, &r)) return build(std::move(r));
  return make(DimOp::ceil_div, a, b);
}

Dim DimPool::mod(Dim a, Dim b) {
  Poly p, q, r;
  if (!normal(a, &p)) return make_atom(DimOp::mod, a, b);
  if (b.is_number() && b.number() > 0) {
    const int64_t c = b.number();
    for (Term t : p) {
      t.coefficient = modulo(t.coefficient, c);
      if (t.coefficient != 0) add_term(&r, t, 1);
    }
    const Interval range = interval(r);
    if (range.min >= 0 && range.max < c) return build(std::move(r));
    return make_atom(DimOp::mod, build(std::move(r)), c);
  }
  if (!b.is_number() && normal(b, &q) && divide(p, q, &r)) return 0;
  return make_atom(DimOp::mod, a, b);
}

Dim DimPool::min(Dim a, Dim b) {
  Poly p;
  if (difference(a, b, &p)) {
    const Interval d = interval(p);
    if (d.max <= 0) return a;
    if (d.min >= 0) return b;
  }
  if (a.is_number()) std::swap(a, b);
  if (!a.is_number() && b.is_number())
    if (const DimExpr& e = expr(a.expr()); e.op == DimOp::min && e.b.is_number())
      return min(Dim(e.a), Dim(std::min(e.b.number(), b.number())));
  if (!a.is_number() && !b.is_number() && b.expr() < a.expr()) std::swap(a, b);
  return make_atom(DimOp::min, a, b);
}

Dim DimPool::max(Dim a, Dim b) {
  Poly p;
  if (difference(a, b, &p)) {
    const Interval d = interval(p);
    if (d.min >= 0) return a;
    if (d.max <= 0) return b;
  }
  if (a.is_number()) std::swap(a, b);
  if (!a.is_number() && b.is_number())
    if (const DimExpr& e = expr(a.expr()); e.op == DimOp::max && e.b.is_number())
      return max(Dim(e.a), Dim(std::max(e.b.number(), b.number())));
  if (!a.is_number() && !b.is_number() && b.expr() < a.expr()) std::swap(a, b);
  return make_atom(DimOp::max, a, b);
}

// a == 1 ? b : a, given that a == b or one of them is 1: so a side that cannot be 1 is the answer.
Dim DimPool::broadcast(Dim a, Dim b) {
  if (a.is(1)) return b;
  if (b.is(1) || provably_equal(a, b)) return a;
  const auto never_one = [&](Dim d) {
    const Interval r = interval(d);
    return r.min > 1 || r.max < 1 || known_divisor(d) > 1;
  };
  if (never_one(a)) return a;
  if (never_one(b)) return b;
  // At most one of the other (x and x[:1]): that is 1 wherever there is any element at all.
  const auto first_of = [&](Dim part, Dim whole) {
    if (part.is_number()) return false;
    const DimExpr e = expr(part.expr());
    return e.op == DimOp::min && e.b.is(1) && provably_equal(e.a, whole);
  };
  if (first_of(b, a)) return a;
  if (first_of(a, b)) return b;
  const auto holds = [&](Dim whole, Dim part) {
    if (whole.is_number()) return false;
    const DimExpr e = expr(whole.expr());
    return e.op == DimOp::broadcast && (provably_equal(e.a, part) || provably_equal(e.b, part));
  };
  if (holds(a, b)) return a;
  if (holds(b, a)) return b;
  return make_atom(DimOp::broadcast, a, b);
}

Dim DimPool::equal(Dim a, Dim b) {
  Poly p;
  if (difference(a, b, &p)) {
    const Interval d = interval(p);
    if (d.min == 0 && d.max == 0) return 1;
    if (d.min > 0 || d.max < 0) return 0;
  }
  if (a.is_number() || (!b.is_number() && b.expr() < a.expr())) std::swap(a, b);
  return make_atom(DimOp::equal, a, b);
}

Dim DimPool::less(Dim a, Dim b) {
  Poly p;
  if (difference(a, b, &p)) {
    const Interval d = interval(p);
    if (d.max < 0) return 1;
    if (d.min >= 0) return 0;
  }
  return make_atom(DimOp::less, a, b);
}

Dim DimPool::select(Dim c, Dim a, Dim b) {
  const Interval r = interval(c);
  if (r.min > 0 || r.max < 0) return a;
  if (r.min == 0 && r.max == 0) return b;
  if (provably_equal(a, b)) return a;
  return make_atom(DimOp::select, a, b, c);
}

Dim DimPool::trunc_div(Dim a, Dim b) {
  if (interval(a).min >= 0 && interval(b).min >= 0) return floor_div(a, b);
  return make_atom(DimOp::trunc_div, a, b);
}

Interval DimPool::interval(Dim d) const {
  if (d.is_number()) return {bounded(d.number()), bounded(d.number())};
  return exprs_[static_cast<size_t>(d.expr())].range;
}

bool DimPool::provably_equal(Dim a, Dim b) {
  if (a == b) return true;
  if (a.is_number() && b.is_number()) return false;
  Poly p;
  return difference(a, b, &p) && p.empty();
}

int64_t DimPool::known_divisor(Dim d) const {
  if (d.is_number()) return d.number() == 0 || d.number() == INT64_MIN ? kMaxSize : std::abs(d.number());
  Poly p;
  return normal(d, &p) && !p.empty() ? divisor_of(p) : 1;
}

std::vector<int32_t> DimPool::symbols(Dim d) const {
  std::vector<int32_t> out, open;
  if (!d.is_number()) open.push_back(d.expr());
  std::vector<bool> seen(exprs_.size());
  while (!open.empty()) {
    const int32_t id = open.back();
    open.pop_back();
    if (seen[static_cast<size_t>(id)]) continue;
    seen[static_cast<size_t>(id)] = true;
    const DimExpr& e = expr(id);
    if (e.op == DimOp::symbol) out.push_back(id);
    else
      for (Dim operand : {e.a, e.b, e.c})
        if (!operand.is_number()) open.push_back(operand.expr());
  }
  std::sort(out.begin(), out.end());
  return out;
}

void DimPool::set_promise(int32_t symbol, const DimPromise& promise) {
  DimExpr& s = exprs_[static_cast<size_t>(symbol)];
  s.promise = promise;
  s.range = {bounded(promise.min), bounded(promise.max)};
  s.divisor = std::max<int64_t>(promise.multiple_of, 1);
  for (size_t i = static_cast<size_t>(symbol) + 1; i < exprs_.size(); ++i)
    if (exprs_[i].op != DimOp::symbol) exprs_[i].range = range_of(exprs_[i]);
}

}  // namespace anydim
