// SPDX-License-Identifier: Apache-2.0
// What a number never exceeds that nodes compute in floats from dims: floor(h * min(256 / min(h, w), 400 / max(h, w))).
// Each real number is followed as quotients of expressions over dims that it is not above, and as one that it is not below. Each float
// operation adds 2^-24 of a result at most, and all results here are sums and products of numbers that are not negative, so the
// bound is raised by 2^-17 at the end: there are at most kMaxNodes operations.
#include "core/graph/size_range.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/ops/operators/binary.h"
#include "core/ops/operators/concat.h"
#include "core/ops/operators/reduce.h"
#include "core/ops/operators/unary.h"

namespace anydim {
namespace {

constexpr int kMaxNodes = 64;
constexpr size_t kMaxQuotients = 4;  // of one number; more say little
constexpr int64_t kInverseSlack = INT64_C(1) << 17;
constexpr int64_t kMaxFactor = INT64_C(1) << 24;  // in a quotient: what is larger might leave int64

struct Quotient {
  Dim over, under;  // `under` is 1 or more
};

struct QuotientRange {
  std::vector<Quotient> above;    // it exceeds none of them; empty: nothing is known
  std::optional<Quotient> below;  // 0 or more
  int64_t least = -kMaxSize;      // where there is none: what it is not below
};

int64_t least_of(const QuotientRange& r) { return r.below ? 0 : r.least; }

class FollowRanges {
 public:
  explicit FollowRanges(Graph& graph) : graph_(graph), pool_(graph.dims) {}

  // Of one element, or (-1) of all of them.
  QuotientRange of(ValueId id, int64_t element) {
    if (id == kNoValue || ++nodes_ > kMaxNodes) return {};
    const Value& v = graph_.value(id);
    const DType t = v.type.dtype;
    if (t != DType::i64 && t != DType::i32 && t != DType::f32 && t != DType::f64) return {};
    if (v.shape_values.known) return known(v.shape_values, element);
    if (v.constant != nullptr) return constant(*v.constant, element);
    const Node* node = graph_.producer(id);
    if (node == nullptr || node->quantization != nullptr || node->outputs.size() != 1) return {};
    QuotientRange r = computed(*node, element);
    // A cast to integers and their division cut off what is behind the point.
    const OpKind kind = node->op->kind();
    if (r.below && !dtype_is_float(t) && (kind == OpKind::cast || kind == OpKind::binary)) r.below = Quotient{lowered(*r.below), 1};
    return r;
  }

  // The element itself, if it comes as it is from a tensor of known elements.
  std::optional<Dim> same(ValueId id, int64_t element) {
    const Value& v = graph_.value(id);
    if (v.shape_values.known) {
      const std::vector<Dim>& all = v.shape_values.elements;
      if (v.shape_values.denominator != 1 || element >= static_cast<int64_t>(all.size())) return {};
      return all[static_cast<size_t>(element)];
    }
    const Node* node = graph_.producer(id);
    if (node == nullptr || ++nodes_ > kMaxNodes) return {};
    if (node->op->kind() == OpKind::reshape) return same(node->inputs[0], element);
    if (node->op->kind() != OpKind::concat) return {};
    for (const ValueId part : node->inputs) {
      const SymDims& dims = graph_.value(part).type.dims;
      if (dims.rank != 1 || !dims[0].is_number()) return {};
      if (element < dims[0].number()) return same(part, element);
      element -= dims[0].number();
    }
    return {};
  }

  Dim whole_part(const QuotientRange& r) {
    Dim most = kMaxSize;
    for (const Quotient& q : r.above) {
      Dim n = pool_.floor_div(q.over, q.under);
      n = pool_.add(n, pool_.floor_div(pool_.max(n, 0), kInverseSlack));
      if (!q.under.is(1)) n = pool_.add(n, 1);
      most = pool_.min(most, n);
    }
    return most;
  }

 private:
  QuotientRange exactly(Dim over, int64_t under) {
    QuotientRange r{{{over, under}}, {}};
    if (pool_.provably_at_least(over, 0)) r.below = r.above[0];
    else if (over.is_number()) r.least = anydim::floor_div(over.number(), under);
    return r;
  }
  QuotientRange known(const ShapeValues& c, int64_t element) {
    if (element >= 0 && element < static_cast<int64_t>(c.elements.size()))
      return exactly(c.elements[static_cast<size_t>(element)], c.denominator);
    if (c.elements.empty()) return {};
    QuotientRange r = exactly(c.elements[0], c.denominator);
    for (size_t i = 1; i < c.elements.size(); ++i) r = either(r, exactly(c.elements[i], c.denominator));
    return r;
  }
  QuotientRange constant(const ConstantTensor& c, int64_t element) {
    if (c.count() == 0 || c.count() > kMaxNodes || !dtype_is_float(c.dtype())) return {};
    double most = -INFINITY, least = INFINITY;
    for (int64_t i = 0; i < c.count(); ++i) {
      if (element >= 0 && element < c.count() && i != element) continue;
      const auto k = static_cast<size_t>(i);
      const double v = c.dtype() == DType::f32 ? static_cast<double>(c.as<float>()[k]) : c.as<double>()[k];
      most = std::max(most, v), least = std::min(least, v);
      if (!(v >= least && v <= most)) return {};
    }
    return within(least, most);
  }
  // Reals are rounded outwards to multiples of 2^-12, and of less where they are small: what is not 0 stays so.
  static QuotientRange within(double least, double most) {
    if (!(least > -1e9) || !(most < 1e9)) return {};
    double under = 1;
    while (under < 0x1p30 && (least * under != std::floor(least * under) || most * under != std::floor(most * under)) &&
           (under < 4096 || (least > 0 && least * under < 1)))
      under *= 2;
    if (least > 0 && least * under < 1) return {};
    const auto whole = static_cast<int64_t>(under);
    QuotientRange r{{{static_cast<int64_t>(std::ceil(most * under)), whole}}, {}, static_cast<int64_t>(std::floor(least))};
    if (least >= 0) r.below = Quotient{static_cast<int64_t>(std::floor(least * under)), whole};
    return r;
  }

  bool is_large(const Quotient& q) const {
    return (!q.over.is(0) && pool_.known_divisor(q.over) > kMaxFactor) || pool_.known_divisor(q.under) > kMaxFactor;
  }
  // Less is said of what has too large factors.
  QuotientRange within_numbers(QuotientRange r) {
    std::erase_if(r.above, [&](const Quotient& q) { return is_large(q); });
    if (r.below && is_large(*r.below)) r.below = Quotient{0, 1};
    return r;
  }

  QuotientRange computed(const Node& node, int64_t element) {
    const auto in = [&](size_t i) { return i < node.inputs.size() ? of(node.inputs[i], same_element(node, i, element)) : QuotientRange{}; };
    switch (node.op->kind()) {
      case OpKind::cast:
      case OpKind::reshape: return in(0);
      case OpKind::expand:
      case OpKind::transpose:
      case OpKind::slice:
      case OpKind::gather:
      case OpKind::gather_elements:
      case OpKind::gather_nd: return of(node.inputs[0], -1);
      case OpKind::concat: return joined(node, element);
      case OpKind::where: return either(in(1), in(2));
      case OpKind::unary: {
        const auto* op = as<Unary>(*node.op);
        if (op->function() != UnaryFunction::clip) return unary(op->function(), in(0));
        const QuotientRange from = within(op->alpha(), op->alpha()), to = within(op->beta(), op->beta());
        return binary(BinaryFunction::min, from.above.empty() ? in(0) : binary(BinaryFunction::max, in(0), from), to);
      }
      case OpKind::binary: return within_numbers(binary(as<Binary>(*node.op)->function(), in(0), in(1)));
      case OpKind::reduce: {
        const ReduceKind kind = as<Reduce>(*node.op)->reduction();
        return kind == ReduceKind::max || kind == ReduceKind::min ? of(node.inputs[0], -1) : QuotientRange{};
      }
      default: return {};
    }
  }
  // The element of an operand that an element of the result is made of, where the two have the same elements in the same order.
  int64_t same_element(const Node& node, size_t i, int64_t element) {
    const SymDims& from = graph_.value(node.inputs[i]).type.dims;
    const SymDims& to = graph_.value(node.outputs[0]).type.dims;
    if (node.op->kind() == OpKind::reshape) return element;
    return from.rank == to.rank && std::equal(from.begin(), from.end(), to.begin()) ? element : -1;
  }
  QuotientRange joined(const Node& node, int64_t element) {
    QuotientRange all;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const SymDims& dims = graph_.value(node.inputs[i]).type.dims;
      if (element >= 0 && dims.rank == 1 && dims[0].is_number()) {
        if (element < dims[0].number()) return of(node.inputs[i], element);
        element -= dims[0].number();
        continue;
      }
      const QuotientRange one = of(node.inputs[i], -1);
      all = i == 0 ? one : either(all, one);
      element = -1;
    }
    return all;
  }

  QuotientRange unary(UnaryFunction f, QuotientRange x) {
    switch (f) {
      case UnaryFunction::identity: return x;
      case UnaryFunction::reciprocal: return binary(BinaryFunction::div, exactly(1, 1), x);
      case UnaryFunction::abs: return x.below ? x : QuotientRange{};
      case UnaryFunction::floor:
        if (x.below) x.below = Quotient{lowered(*x.below), 1};
        return x;
      case UnaryFunction::ceil:
      case UnaryFunction::round_even:
        for (Quotient& q : x.above) q = {pool_.add(pool_.ceil_div(q.over, q.under), 1), 1};
        if (x.below) x.below = Quotient{lowered(*x.below), 1};
        return x;
      default: return {};
    }
  }
  // A whole number that floor() of a result is not below: rounding may have made it a little smaller.
  Dim lowered(const Quotient& q) { return pool_.max(pool_.sub(pool_.floor_div(q.over, q.under), 1), 0); }

  QuotientRange binary(BinaryFunction f, const QuotientRange& x, const QuotientRange& y) {
    QuotientRange r;
    const auto each = [&](auto&& make) {
      for (const Quotient& a : x.above)
        for (const Quotient& b : y.above)
          if (r.above.size() < kMaxQuotients) r.above.push_back(make(a, b));
    };
    switch (f) {
      case BinaryFunction::add:
        if (!x.below || !y.below) return {};
        each([&](const Quotient& a, const Quotient& b) { return sum(a, b); });
        r.below = sum(*x.below, *y.below);
        return r;
      case BinaryFunction::sub:
        if (x.below && y.below) r.above = x.above;
        return r;
      case BinaryFunction::mul:
        if (!x.below || !y.below) return {};
        each([&](const Quotient& a, const Quotient& b) { return product(a, b); });
        r.below = Quotient{pool_.mul(x.below->over, y.below->over), pool_.mul(x.below->under, y.below->under)};
        return r;
      case BinaryFunction::div:
        if (!x.below || !y.below) return {};
        // 0 as divisor gives no number. A larger one is so many of 1 / `under`.
        for (const Quotient& a : x.above) r.above.push_back(product(a, {y.below->under, pool_.max(y.below->over, 1)}));
        if (y.below->over.is(0)) r.above.clear();
        if (!y.above.empty() && pool_.provably_at_least(y.above[0].over, 1))
          r.below = product(*x.below, {y.above[0].under, y.above[0].over}, false);
        else r.below = Quotient{0, 1};
        return r;
      case BinaryFunction::min:
        r.above = x.above;
        r.above.insert(r.above.end(), y.above.begin(), y.above.end());
        if (r.above.size() > kMaxQuotients) r.above.resize(kMaxQuotients);
        if (x.below && y.below) r.below = of_two(&DimPool::min, *x.below, *y.below);
        return r;
      case BinaryFunction::max:
        each([&](const Quotient& a, const Quotient& b) { return of_two(&DimPool::max, a, b); });
        r.below = x.below ? x.below : y.below;
        if (x.below && y.below) r.below = of_two(&DimPool::max, *x.below, *y.below);
        return r;
      default: return {};
    }
  }
  QuotientRange either(const QuotientRange& x, const QuotientRange& y) {
    QuotientRange r = binary(BinaryFunction::max, x, y);
    r.below.reset();
    r.least = std::min(least_of(x), least_of(y));
    if (x.below && y.below) r.below = of_two(&DimPool::min, *x.below, *y.below);
    return r;
  }

  Quotient sum(const Quotient& a, const Quotient& b) {
    if (a.under == b.under) return {pool_.add(a.over, b.over), a.under};
    return {pool_.add(pool_.mul(a.over, b.under), pool_.mul(b.over, a.under)), pool_.mul(a.under, b.under)};
  }
  Quotient of_two(Dim (DimPool::*choose)(Dim, Dim), const Quotient& a, const Quotient& b) {
    if (a.under == b.under) return {(pool_.*choose)(a.over, b.over), a.under};
    return {(pool_.*choose)(pool_.mul(a.over, b.under), pool_.mul(b.over, a.under)), pool_.mul(a.under, b.under)};
  }
  // Above, h / max(h, w) is 1 at most.
  Quotient product(Quotient a, Quotient b, bool above = true) {
    cancel(&a.over, &b.under, above);
    cancel(&b.over, &a.under, above);
    return {pool_.mul(a.over, b.over), pool_.mul(a.under, b.under)};
  }
  void cancel(Dim* over, Dim* under, bool above) {
    if (over->is_number() || under->is_number()) return;
    if (*over == *under || (above && is_part_of(*over, *under))) *over = 1, *under = 1;
  }
  bool is_part_of(Dim part, Dim largest) const {
    if (part == largest) return true;
    if (largest.is_number() || pool_.expr(largest.expr()).op != DimOp::max) return false;
    const DimExpr& e = pool_.expr(largest.expr());
    return is_part_of(part, e.a) || is_part_of(part, e.b);
  }

  Graph& graph_;
  DimPool& pool_;
  int nodes_ = 0;
};

}  // namespace

std::optional<Dim> known_element(Graph& graph, ValueId value, int64_t element) { return FollowRanges(graph).same(value, element); }

SizeRange size_range(Graph& graph, ValueId value, int64_t element) {
  FollowRanges follow(graph);
  const QuotientRange r = follow.of(value, element);
  return {least_of(r), follow.whole_part(r)};
}

}  // namespace anydim
