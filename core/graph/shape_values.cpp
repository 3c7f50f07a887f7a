// SPDX-License-Identifier: Apache-2.0
// The contents of small tensors, followed through the operators that shape arithmetic is made of. Integers and booleans are
// exact (sums that leave int64 are poisoned at run time). Floats are followed as rationals with a power of two
// below, in exact arithmetic: what models compute with sizes (a scale of 2 or 0.5, floor, cast back) stays exact in
// float32 up to 2^24; a float that is no such number is unknown.
#include <algorithm>
#include <cmath>

#include "core/graph/infer.h"
#include "core/ops/operators/binary.h"
#include "core/ops/operators/cast.h"
#include "core/ops/operators/concat.h"
#include "core/ops/operators/gather.h"
#include "core/ops/operators/range.h"
#include "core/ops/operators/reduce.h"
#include "core/ops/operators/slice.h"
#include "core/ops/operators/transpose.h"
#include "core/ops/operators/unary.h"

namespace anydim {

namespace {

constexpr int64_t kMaxDenominator = INT64_C(1) << 20;
constexpr int64_t kMaxSymbolic = 64;  // elements of a float content, and of a range

bool is_tracked(DType t) { return t == DType::i64 || t == DType::i32 || t == DType::boolean || t == DType::f32 || t == DType::f64; }

// The value's dims as numbers, if they all are and the elements are few.
bool fixed_dims(const TensorType& type, Dims* out) {
  *out = {};
  for (Dim d : type.dims) {
    if (!d.is_number() || d.number() < 0) return false;
    out->push_back(d.number());
  }
  return element_count(*out) <= kMaxShapeValues;
}

// Steps through indices in row-major order.
bool next_index(const Dims& dims, Dims* index) {
  for (int i = dims.rank - 1; i >= 0; --i) {
    if (++(*index)[i] < dims[i]) return true;
    (*index)[i] = 0;
  }
  return false;
}

int64_t offset_of(const Dims& index, const Strides& strides) {
  int64_t o = 0;
  for (int i = 0; i < index.rank; ++i) o += index[i] * strides[i];
  return o;
}

// Calls f(index) for each index of `dims` in row-major order.
template <class F> void for_each_index(const Dims& dims, F f) {
  if (element_count(dims) == 0) return;
  Dims index = Dims::filled(dims.rank, 0);
  do f(index);
  while (next_index(dims, &index));
}

template <class T> bool read_reals(std::span<const T> values, ShapeValues* out) {
  double scale = 1;
  for (T v : values) {
    if (!(std::abs(v) < 1e9)) return false;
    while (scale <= static_cast<double>(kMaxDenominator) && v * scale != std::floor(v * scale)) scale *= 2;
  }
  if (scale > static_cast<double>(kMaxDenominator)) return false;
  out->denominator = static_cast<int64_t>(scale);
  for (T v : values) out->elements.push_back(static_cast<int64_t>(v * scale));
  return true;
}

class Follow {
 public:
  Follow(Graph& graph, const Node& node) : graph_(graph), pool_(graph.dims), node_(node) {
    if (node.outputs.size() != 1 || !is_tracked(out().type.dtype) || !fixed_dims(out().type, &dims_)) return;
    if (ShapeValues c; content(&c)) {
      c.known = static_cast<int64_t>(c.elements.size()) == element_count(dims_) &&
                std::all_of(c.elements.begin(), c.elements.end(), [&](Dim d) { return fits(d); });
      if (c.known) out().shape_values = std::move(c);
    }
  }

 private:
  Value& out() { return graph_.value(node_.outputs[0]); }
  // False for numbers that wrap around where the operator computes them: those are the operator's to compute.
  bool fits(Dim d) {
    if (d.is_number()) return out().type.dtype != DType::i32 || (d.number() >= INT32_MIN && d.number() <= INT32_MAX);
    const DimExpr& e = pool_.expr(d.expr());
    return e.op == DimOp::symbol || !e.a.is_number() || !e.b.is_number() || !e.c.is_number();
  }
  const TensorType& type(size_t i) const { return graph_.value(node_.inputs[i]).type; }
  bool integral() { return !dtype_is_float(out().type.dtype); }

  // Input i's content; its dims are numbers then.
  const ShapeValues* in(size_t i, Dims* dims) const {
    if (i >= node_.inputs.size() || node_.inputs[i] == kNoValue) return nullptr;
    const Value& v = graph_.value(node_.inputs[i]);
    return v.shape_values.known && fixed_dims(v.type, dims) ? &v.shape_values : nullptr;
  }

  bool content(ShapeValues* c) {
    switch (node_.op->kind()) {
      case OpKind::shape_tensor: {
        if (!integral()) return false;
        const auto dims = node_.op->dim_attributes();
        c->elements.assign(dims.begin(), dims.end());
        return true;
      }
      case OpKind::range: return range(c);
      case OpKind::cast: return cast(c);
      case OpKind::reshape: return reshape(c);
      case OpKind::expand: return expand(c);
      case OpKind::transpose: return transpose(c);
      case OpKind::slice: return slice(c);
      case OpKind::concat: return concat(c);
      case OpKind::gather: return gather(c);
      case OpKind::unary: return unary(c);
      case OpKind::binary: return binary(c);
      case OpKind::where: return where(c);
      case OpKind::reduce: return reduce(c);
      default: return false;
    }
  }

  bool range(ShapeValues* c) {
    const auto* op = as<Range>(*node_.op);
    if (op->is_real() || element_count(dims_) > kMaxSymbolic) return false;
    const auto d = op->dim_attributes();
    for (int64_t i = 0; i < element_count(dims_); ++i) c->elements.push_back(pool_.add(d[0], pool_.mul(d[1], i)));
    return true;
  }

  bool cast(ShapeValues* c) {
    Dims d;
    const ShapeValues* x = in(0, &d);
    if (!x) return false;
    const DType to = out().type.dtype;
    // A number of the data may be beyond 32 bits, where the cast wraps around. Sizes are not.
    if (to == DType::i32 && type(0).dtype == DType::i64 &&
        std::any_of(x->elements.begin(), x->elements.end(), [&](Dim e) { return !e.is_number() && is_from_data(pool_, e); }))
      return false;
    *c = *x;
    if (to == DType::boolean) {
      for (Dim& e : c->elements) e = pool_.select(pool_.equal(e, 0), 0, 1);
      c->denominator = 1;
    } else if (!dtype_is_float(to) && x->denominator > 1) {
      for (Dim& e : c->elements) e = pool_.trunc_div(e, x->denominator);
      c->denominator = 1;
    } else if (dtype_is_float(to) && c->elements.size() > static_cast<size_t>(kMaxSymbolic)) {
      return false;
    }
    return true;
  }

  bool reshape(ShapeValues* c) {
    Dims d;
    const ShapeValues* x = in(0, &d);
    if (x) *c = *x;
    return x != nullptr;
  }

  bool expand(ShapeValues* c) {
    Dims d;
    const ShapeValues* x = in(0, &d);
    if (!x) return false;
    const Strides s = broadcast_to(d);
    c->denominator = x->denominator;
    for_each_index(dims_, [&](const Dims& i) { c->elements.push_back(x->elements[static_cast<size_t>(offset_of(i, s))]); });
    return true;
  }

  bool transpose(ShapeValues* c) {
    Dims d;
    const ShapeValues* x = in(0, &d);
    if (!x) return false;
    const Strides s = dense_strides(d);
    const Perm& perm = as<Transpose>(*node_.op)->perm();
    Strides t = Strides::filled(s.rank, 0);
    for (int i = 0; i < s.rank; ++i) t[i] = s[perm[i]];
    c->denominator = x->denominator;
    for_each_index(dims_, [&](const Dims& i) { c->elements.push_back(x->elements[static_cast<size_t>(offset_of(i, t))]); });
    return true;
  }

  bool slice(ShapeValues* c) {
    Dims d;
    const ShapeValues* x = in(0, &d);
    if (!x) return false;
    const auto* op = as<Slice>(*node_.op);
    const Strides s = dense_strides(d);
    Strides t = s;
    int64_t first = 0;
    for (int i = 0; i < d.rank; ++i) {
      if (!op->start(i).is_number()) return false;
      first += op->start(i).number() * s[i];
      t[i] = dims_[i] > 1 ? s[i] * op->steps()[i] : 0;
    }
    c->denominator = x->denominator;
    bool inside = true;
    for_each_index(dims_, [&](const Dims& i) {
      const int64_t o = first + offset_of(i, t);
      if (o < 0 || o >= static_cast<int64_t>(x->elements.size())) inside = false;
      else c->elements.push_back(x->elements[static_cast<size_t>(o)]);
    });
    return inside;
  }

  bool concat(ShapeValues* c) {
    const int axis = as<Concat>(*node_.op)->axis();
    const Strides s = dense_strides(dims_);
    c->elements.assign(static_cast<size_t>(element_count(dims_)), Dim(0));
    for (size_t i = 0; i < node_.inputs.size(); ++i) {
      Dims d;
      const ShapeValues* x = in(i, &d);
      if (!x) return false;
      if (x->elements.empty()) continue;
      if (c->denominator != x->denominator) return false;
    }
    int64_t start = 0;
    for (size_t i = 0; i < node_.inputs.size(); ++i) {
      Dims d;
      const ShapeValues* x = in(i, &d);
      size_t k = 0;
      for_each_index(d, [&](const Dims& at) { c->elements[static_cast<size_t>(offset_of(at, s) + start * s[axis])] = x->elements[k++]; });
      start += d[axis];
    }
    return true;
  }

  bool gather(ShapeValues* c) {
    Dims d, di;
    const ShapeValues *x = in(0, &d), *index = in(1, &di);
    if (!x || !index) return false;
    const int axis = as<Gather>(*node_.op)->axis();
    const Strides s = dense_strides(d);
    c->denominator = x->denominator;
    bool good = true;
    // The output's axes: data's before the axis, the indices', data's after it.
    const Strides si = dense_strides(di);
    for_each_index(dims_, [&](const Dims& at) {
      int64_t o = 0, which = 0;
      for (int i = 0; i < axis; ++i) o += at[i] * s[i];
      for (int i = 0; i < di.rank; ++i) which += at[axis + i] * si[i];
      for (int i = axis + 1; i < d.rank; ++i) o += at[i - 1 + di.rank] * s[i];
      const Dim e = index->elements[static_cast<size_t>(which)];
      if (!e.is_number()) return void(good = false);
      const int64_t v = e.number() < 0 ? e.number() + d[axis] : e.number();
      if (v < 0 || v >= d[axis]) return void(good = false);
      c->elements.push_back(x->elements[static_cast<size_t>(o + v * s[axis])]);
    });
    return good;
  }

  bool unary(ShapeValues* c) {
    Dims d;
    const ShapeValues* x = in(0, &d);
    if (!x) return false;
    *c = *x;
    const UnaryFunction f = as<Unary>(*node_.op)->function();
    for (Dim& e : c->elements) switch (f) {
        case UnaryFunction::identity: break;
        case UnaryFunction::neg: e = pool_.sub(0, e); break;
        case UnaryFunction::abs: e = pool_.max(e, pool_.sub(0, e)); break;
        case UnaryFunction::floor: e = pool_.floor_div(e, x->denominator); break;
        case UnaryFunction::ceil: e = pool_.ceil_div(e, x->denominator); break;
        case UnaryFunction::logical_not: e = pool_.equal(e, 0); break;
        case UnaryFunction::round_even:
          if (x->denominator != 1) return false;
          break;
        default: return false;
      }
    if (f == UnaryFunction::floor || f == UnaryFunction::ceil) c->denominator = 1;
    return true;
  }

  Strides broadcast_to(const Dims& d) const {
    const Strides dense = dense_strides(d);
    Strides s = Strides::filled(dims_.rank, 0);
    for (int i = 0; i < d.rank; ++i)
      if (d[i] != 1) s[i + dims_.rank - d.rank] = dense[i];
    return s;
  }

  bool combine(BinaryFunction f, Dim a, Dim b, Dim* y) {
    switch (f) {
      case BinaryFunction::add: *y = pool_.add(a, b); return true;
      case BinaryFunction::sub: *y = pool_.sub(a, b); return true;
      case BinaryFunction::mul: *y = pool_.mul(a, b); return true;
      case BinaryFunction::div: *y = pool_.trunc_div(a, b); return true;
      case BinaryFunction::mod_floor:
        if (!pool_.provably_at_least(b, 1)) return false;
        *y = pool_.mod(a, b);
        return true;
      case BinaryFunction::mod_trunc:
        if (!pool_.provably_at_least(b, 1) || !pool_.provably_at_least(a, 0)) return false;
        *y = pool_.mod(a, b);
        return true;
      case BinaryFunction::min: *y = pool_.min(a, b); return true;
      case BinaryFunction::max: *y = pool_.max(a, b); return true;
      case BinaryFunction::equal: *y = pool_.equal(a, b); return true;
      case BinaryFunction::less: *y = pool_.less(a, b); return true;
      case BinaryFunction::greater: *y = pool_.less(b, a); return true;
      case BinaryFunction::less_equal: *y = pool_.sub(1, pool_.less(b, a)); return true;
      case BinaryFunction::greater_equal: *y = pool_.sub(1, pool_.less(a, b)); return true;
      case BinaryFunction::logical_and: *y = pool_.mul(a, b); return true;
      case BinaryFunction::logical_or: *y = pool_.max(a, b); return true;
      case BinaryFunction::logical_xor: *y = pool_.sub(1, pool_.equal(a, b)); return true;
      default: return false;
    }
  }

  bool binary(ShapeValues* c) {
    Dims da, db;
    const ShapeValues *a = in(0, &da), *b = in(1, &db);
    if (!a || !b) return false;
    const BinaryFunction f = as<Binary>(*node_.op)->function();
    int64_t scale_a = 1, scale_b = 1;  // to the common denominator
    if (dtype_is_float(type(0).dtype)) {
      if (element_count(dims_) > kMaxSymbolic) return false;
      switch (f) {
        case BinaryFunction::add:
        case BinaryFunction::sub:
        case BinaryFunction::min:
        case BinaryFunction::max:
        case BinaryFunction::equal:
        case BinaryFunction::less:
        case BinaryFunction::greater:
        case BinaryFunction::less_equal:
        case BinaryFunction::greater_equal: {
          const int64_t common = std::max(a->denominator, b->denominator);
          scale_a = common / a->denominator;
          scale_b = common / b->denominator;
          c->denominator = is_comparison(f) ? 1 : common;
          break;
        }
        case BinaryFunction::mul: c->denominator = a->denominator * b->denominator; break;
        case BinaryFunction::div: return divide_reals(*a, da, *b, db, c);
        default: return false;
      }
      if (c->denominator > kMaxDenominator) return false;
    }
    const Strides sa = broadcast_to(da), sb = broadcast_to(db);
    bool good = true;
    for_each_index(dims_, [&](const Dims& i) {
      const Dim x = pool_.mul(a->elements[static_cast<size_t>(offset_of(i, sa))], scale_a);
      const Dim y = pool_.mul(b->elements[static_cast<size_t>(offset_of(i, sb))], scale_b);
      Dim r;
      good = good && combine(f, x, y, &r);
      c->elements.push_back(r);
    });
    return good;
  }

  // a / b in floats, where b is one number p/q with p a power of two: (x / da) / (p / q) = x*q / (da*p).
  bool divide_reals(const ShapeValues& a, const Dims& da, const ShapeValues& b, const Dims& db, ShapeValues* c) {
    if (b.elements.size() != 1 || !b.elements[0].is_number() || db.rank > da.rank) return false;
    const int64_t p = b.elements[0].number();
    if (p <= 0 || (p & (p - 1)) != 0 || p > kMaxDenominator || a.denominator * p > kMaxDenominator) return false;
    *c = a;
    c->denominator = a.denominator * p;
    for (Dim& e : c->elements) e = pool_.mul(e, b.denominator);
    return true;
  }

  bool where(ShapeValues* c) {
    Dims dc, da, db;
    const ShapeValues *s = in(0, &dc), *a = in(1, &da), *b = in(2, &db);
    if (!s || !a || !b || a->denominator != b->denominator) return false;
    c->denominator = a->denominator;
    const Strides sc = broadcast_to(dc), sa = broadcast_to(da), sb = broadcast_to(db);
    for_each_index(dims_, [&](const Dims& i) {
      c->elements.push_back(pool_.select(s->elements[static_cast<size_t>(offset_of(i, sc))],
                                         a->elements[static_cast<size_t>(offset_of(i, sa))],
                                         b->elements[static_cast<size_t>(offset_of(i, sb))]));
    });
    return true;
  }

  // Over everything: product, sum, maximum, minimum of a list of integers, the latter two of reals, too.
  bool reduce(ShapeValues* c) {
    Dims d;
    const ShapeValues* x = in(0, &d);
    const auto* op = as<Reduce>(*node_.op);
    uint32_t mask = 0;
    const bool chooses = op->reduction() == ReduceKind::max || op->reduction() == ReduceKind::min;
    if (!x || !(integral() || chooses) || x->elements.empty() || !op->axis_mask(d.rank, &mask).ok()) return false;
    if (mask != (1u << d.rank) - 1) return false;
    BinaryFunction f;
    switch (op->reduction()) {
      case ReduceKind::prod: f = BinaryFunction::mul; break;
      case ReduceKind::sum: f = BinaryFunction::add; break;
      case ReduceKind::max: f = BinaryFunction::max; break;
      case ReduceKind::min: f = BinaryFunction::min; break;
      default: return false;
    }
    Dim total = x->elements[0];
    for (size_t i = 1; i < x->elements.size(); ++i)
      if (!combine(f, total, x->elements[i], &total)) return false;
    c->denominator = x->denominator;
    c->elements.push_back(total);
    return true;
  }

  Graph& graph_;
  DimPool& pool_;
  const Node& node_;
  Dims dims_;
};

}  // namespace

ShapeValues shape_values_of(const ConstantTensor& constant) {
  ShapeValues c;
  if (constant.count() > kMaxShapeValues) return c;
  c.known = true;
  switch (constant.dtype()) {
    case DType::i64:
      for (int64_t v : constant.as<int64_t>()) c.elements.push_back(v);
      break;
    case DType::i32:
      for (int32_t v : constant.as<int32_t>()) c.elements.push_back(v);
      break;
    case DType::boolean:
      for (uint8_t v : constant.as<uint8_t>()) c.elements.push_back(v != 0);
      break;
    case DType::f32: c.known = constant.count() <= kMaxSymbolic && read_reals(constant.as<float>(), &c); break;
    case DType::f64: c.known = constant.count() <= kMaxSymbolic && read_reals(constant.as<double>(), &c); break;
    default: c.known = false;
  }
  if (!c.known) c = {};
  return c;
}

bool is_from_data(const DimPool& pool, Dim d) {
  const std::vector<int32_t> symbols = pool.symbols(d);
  return std::any_of(symbols.begin(), symbols.end(), [&](int32_t s) { return pool.expr(s).promise.min < 0; });
}

void infer_content(Graph& graph, const Node& node) {
  if (!node.quantization) Follow(graph, node);
}

}  // namespace anydim
