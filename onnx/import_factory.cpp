// SPDX-License-Identifier: Apache-2.0
// Operators that make tensors from nothing but attributes and shapes: Constant, ConstantOfShape, Range, EyeLike.
#include <algorithm>
#include <cmath>

#include "core/ops/eye_like.h"
#include "core/ops/range.h"
#include "onnx/operators.h"

namespace anydim::onnx {
namespace {

void constant(NodeImport& n) {
  if (const Attribute* a = n.find("value")) {
    if (a->tensor == nullptr) return n.wrong("attribute value holds no tensor");
    return n.out(0, n.constant(*a->tensor));
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
  n.unsupported("it holds no dense tensor of numbers (sparse tensors and strings are not supported)");
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

// start, limit and delta may follow from shapes; real ones that are no integers must be constants.
void range(NodeImport& n) {
  const DType t = n.dtype(n.in(0));
  Dim whole[3];
  bool integral = true;
  for (size_t i = 0; i < 3 && n.ok(); ++i) {
    const Content& c = n.graph().value(n.in(i)).content;
    const bool known = c.known && c.elements.size() == 1;
    integral = integral && known && (c.denominator == 1 || (c.elements[0].is_number() && c.elements[0].number() % c.denominator == 0));
    if (integral) whole[i] = c.denominator == 1 ? c.elements[0] : Dim(c.elements[0].number() / c.denominator);
  }
  if (!n.ok()) return;
  if (integral) {
    Result<Dim> count = Range::count_for(n.pool(), whole[0], whole[1], whole[2]);
    if (!count.ok()) return n.fail(count.take_status());
    return n.out(0, n.add(Range::make(t, whole[0], whole[2], *count), {}));
  }
  double real[3] = {};
  constexpr const char* kNames[] = {"start", "limit", "delta"};
  for (size_t i = 0; i < 3; ++i) {
    const std::vector<double> v = n.real_numbers(i, kNames[i]);
    if (n.ok() && v.size() != 1) n.wrong("{} has {} elements; expected 1", kNames[i], v.size());
    if (!n.ok()) return;
    real[i] = v[0];
  }
  if (real[2] == 0 || !std::isfinite(real[0]) || !std::isfinite(real[1]) || !std::isfinite(real[2]))
    return n.wrong("range from {} to {} by {}", real[0], real[1], real[2]);
  // Types whose contents are not followed (i16, f16, ...) come here with whole numbers too.
  if (std::all_of(real, real + 3, [](double v) { return std::fabs(v) < 1e15 && v == std::nearbyint(v); })) {
    const auto start = static_cast<int64_t>(real[0]), delta = static_cast<int64_t>(real[2]);
    Result<Dim> count = Range::count_for(n.pool(), start, static_cast<int64_t>(real[1]), delta);
    if (!count.ok()) return n.fail(count.take_status());
    return n.out(0, n.add(Range::make(t, start, delta, *count), {}));
  }
  n.out(0, n.add(Range::make_real(t, real[0], real[1], real[2]), {}));
}

void eye_like(NodeImport& n) {
  const ValueId x = n.in(0);
  DType t = DType::none;
  if (n.has_attribute("dtype")) {
    Result<DType> given = dtype_of(static_cast<int32_t>(n.integer("dtype", 0)));
    if (!given.ok()) return n.fail(given.take_status());
    t = *given;
  }
  n.out(0, n.add(EyeLike::make(t, n.integer("k", 0)), {x}));
}

constexpr Importer kTable[] = {
    {"Constant", 1, constant},
    {"ConstantOfShape", 9, constant_of_shape},
    {"EyeLike", 9, eye_like},
    {"Range", 11, range},
};

}  // namespace

std::span<const Importer> factory_importers() { return kTable; }

}  // namespace anydim::onnx
