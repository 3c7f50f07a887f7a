// SPDX-License-Identifier: Apache-2.0
// Operators that make tensors from nothing but attributes and shapes: Constant, ConstantOfShape, Range, EyeLike.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/ops/operators/eye_like.h"
#include "core/ops/operators/range.h"
#include "onnx/walk/operators.h"

namespace anydim::onnx {
namespace {

void constant(NodeImport& n) {
  if (const Attribute* a = n.find("value")) {
    if (a->tensor == nullptr) return n.wrong("attribute value holds no tensor");
    return n.out(0, n.constant(*a->tensor));
  }
  if (const Attribute* a = n.find("sparse_value")) {
    if (a->sparse_tensor == nullptr) return n.wrong("attribute sparse_value holds no sparse tensor");
    return n.out(0, n.constant(*a->sparse_tensor));
  }
  if (n.has_attribute("value_float")) {
    const float v = n.real("value_float", 0.f);
    return n.out(0, n.constant(DType::f32, {}, &v));
  }
  if (n.has_attribute("value_int")) {
    const int64_t v = n.integer("value_int", 0);
    return n.out(0, n.constant(DType::i64, {}, &v));
  }
  if (n.has_attribute("value_floats")) {
    const std::vector<float> v = n.reals("value_floats");
    return n.out(0, n.constant(DType::f32, {static_cast<int64_t>(v.size())}, v.data()));
  }
  if (n.has_attribute("value_ints")) {
    const std::vector<int64_t> v = n.integers("value_ints");
    return n.out(0, n.constant(DType::i64, {static_cast<int64_t>(v.size())}, v.data()));
  }
  if (n.has_attribute("value_string")) {
    const std::string_view v[] = {n.text("value_string", "")};
    return n.out_strings(0, n.reshape(n.numbered_strings(v), {}), true);
  }
  if (n.has_attribute("value_strings")) return n.out_strings(0, n.numbered_strings(n.strings("value_strings")), true);
  n.wrong("it holds no tensor");
}

void constant_of_shape(NodeImport& n) {
  const std::vector<Dim> target = n.elements(0, "shape");
  if (n.ok() && target.size() > static_cast<size_t>(kMaxRank)) n.unsupported("the shape has rank {}; at most {}", target.size(), kMaxRank);
  ValueId value = kNoValue;
  if (const Attribute* a = n.find("value")) {
    if (a->tensor == nullptr) return n.wrong("attribute value holds no tensor");
    value = n.constant(*a->tensor);
    if (n.ok() && !(n.rank(value) == 0 || (n.rank(value) == 1 && n.dims(value)[0].is(1))))
      n.wrong("value has dims {}; expected one element", n.pool().text(n.dims(value)));
    value = n.reshape(value, {});
  } else {
    value = n.scalar(DType::f32, 0.0);
  }
  if (!n.ok()) return;
  n.out(0, n.expand(value, SymDims(std::span<const Dim>(target))));
}

// --- Range ---------------------------------------------------------------------------------------------------------

// 16-bit floats are counted in binary32, as opset 27 says, and rounded.
ValueId counted(NodeImport& n, DType t, Result<OperatorPtr> range) { return n.cast(n.add(std::move(range), {}), t); }

// Of integers: sizes like all others, of which a run reads those that nodes compute.
void range_of(NodeImport& n, DType t, Dim start, Dim limit, Dim delta) {
  Result<Dim> count = Range::count_for(n.pool(), start, limit, delta);
  if (!count.ok()) return n.fail(count.take_status());
  if (!delta.is_number())
    n.graph().add_guard(n.pool().sub(1, n.pool().equal(delta, 0)), std::string(NodeImport::name_of(n.proto())),
                        formatted("the delta, {}, is not 0", n.pool().text(delta)));
  n.out(0, counted(n, t, Range::make(NodeImport::computed_type(t), start, delta, *count)));
}

// Of reals that nodes compute: the count in binary64, as for constants, and start + i * delta, each operation rounded in their
// type, of 16-bit floats in binary32.
void computed_range(NodeImport& n, DType t, ValueId start, ValueId limit, ValueId delta) {
  using Unary = UnaryFunction;
  using Binary = BinaryFunction;
  const auto scalar = [&](ValueId v) { return n.widened(n.reshape(v, {})); };
  const ValueId first = scalar(start), step = scalar(delta);
  const ValueId wide = n.cast(step, DType::f64);
  const ValueId way = n.binary(Binary::div, n.binary(Binary::sub, n.cast(scalar(limit), DType::f64), n.cast(first, DType::f64)), wide);
  // What is no number of elements is read as -1, which no size is.
  const ValueId none = n.binary(Binary::logical_or, n.binary(Binary::equal, wide, n.scalar(DType::f64, 0)), n.unary(Unary::is_nan, way));
  const ValueId whole = n.binary(Binary::max, n.cast(n.unary(Unary::ceil, way), DType::i64), n.scalar(DType::i64, 0));
  const Dim count = n.size_of(n.where(none, n.scalar(DType::i64, -1), whole), kMaxSize - 1);
  const ValueId index = n.add(Range::make(NodeImport::computed_type(t), 0, 1, count), {});
  n.out(0, n.cast(n.binary(Binary::add, n.binary(Binary::mul, index, step), first), t));
}

void range(NodeImport& n) {
  const DType t = n.dtype(n.in(0));
  if (const int64_t stash = n.integer("stash_type", kFloat); n.ok() && t != NodeImport::computed_type(t) && stash != kFloat)
    return n.unsupported("stash_type is {}; expected {} (float)", stash, static_cast<int64_t>(kFloat));
  constexpr const char* kNames[] = {"start", "limit", "delta"};
  bool constant = true, integral = true;
  Dim whole[3];
  ValueId bounds[3] = {};
  for (size_t i = 0; i < 3 && n.ok(); ++i) {
    bounds[i] = n.in(i);
    const SymDims& dims = n.dims(bounds[i]);
    if (dims.rank > 1 || (dims.rank == 1 && dims[0].is_number() && !dims[0].is(1)))
      n.wrong("{} has dims {}; expected a scalar", kNames[i], n.pool().text(dims));
    if (n.ok() && n.dtype(bounds[i]) != t)
      n.wrong("{} has dtype {}; start has {}", kNames[i], dtype_name(n.dtype(bounds[i])), dtype_name(t));
    if (!n.ok()) return;
    const Value& v = n.value(bounds[i]);
    const ShapeValues& c = v.shape_values;
    const bool known = c.known && c.elements.size() == 1;
    constant = constant && (v.constant != nullptr || (known && c.elements[0].is_number()));
    integral = integral && known && (c.denominator == 1 || (c.elements[0].is_number() && c.elements[0].number() % c.denominator == 0));
    if (integral) whole[i] = c.denominator == 1 ? c.elements[0] : Dim(c.elements[0].number() / c.denominator);
  }
  if (!n.ok()) return;
  if (integral) return range_of(n, t, whole[0], whole[1], whole[2]);
  if (!constant && !dtype_is_float(t)) {
    for (size_t i = 0; i < 3 && n.ok(); ++i) whole[i] = n.element_of(n.cast(bounds[i], DType::i64), kNames[i]);
    return n.ok() ? range_of(n, t, whole[0], whole[1], whole[2]) : void();
  }
  if (!constant) return computed_range(n, t, bounds[0], bounds[1], bounds[2]);
  double real[3] = {};
  for (size_t i = 0; i < 3; ++i) {
    const std::vector<double> v = n.real_numbers(i, kNames[i]);
    if (n.ok() && v.size() != 1) n.wrong("{} has {} elements; expected 1", kNames[i], v.size());
    if (!n.ok()) return;
    real[i] = v[0];
  }
  if (real[2] == 0 || !std::isfinite(real[0]) || !std::isfinite(real[1]) || !std::isfinite(real[2]))
    return n.wrong("range from {} to {} by {}", real[0], real[1], real[2]);
  // Types whose contents are not followed (i16, f16, ...) come here with whole numbers too.
  if (std::all_of(real, real + 3, [](double v) { return std::fabs(v) < 1e15 && v == std::nearbyint(v); }))
    return range_of(n, t, static_cast<int64_t>(real[0]), static_cast<int64_t>(real[1]), static_cast<int64_t>(real[2]));
  n.out(0, counted(n, t, Range::make_real(NodeImport::computed_type(t), real[0], real[1], real[2])));
}

void eye_like(NodeImport& n) {
  const ValueId x = n.in(0);
  DType t = DType::none;
  if (n.has_attribute("dtype")) {
    Result<DType> declared = dtype_of(static_cast<int32_t>(n.integer("dtype", 0)));
    if (!declared.ok()) return n.fail(declared.take_status());
    t = *declared;
  }
  n.out(0, n.add(EyeLike::make(t, n.integer("k", 0)), {x}));
}

constexpr Importer kFactoryOperators[] = {
    {"Constant", 1, constant},
    {"ConstantOfShape", 9, constant_of_shape},
    {"EyeLike", 9, eye_like},
    {"Range", 11, range},
};

}  // namespace

std::span<const Importer> factory_importers() { return kFactoryOperators; }

}  // namespace anydim::onnx
