// SPDX-License-Identifier: Apache-2.0
// Random numbers (docs/decisions/058-random-numbers.md): RandomUniform, RandomNormal and what is like them, Bernoulli, Multinomial. A
// node's seed is the attribute's bits, or one of the process and the node's name.
#include <algorithm>
#include <bit>
#include <functional>
#include <random>

#include "core/ops/operators/cumsum.h"
#include "core/ops/operators/gather_elements.h"
#include "core/ops/operators/random_uniform.h"
#include "core/ops/operators/reduce.h"
#include "core/ops/operators/softmax.h"
#include "onnx/walk/operators.h"
#include "onnx/operators/random_numbers.h"

namespace anydim::onnx {
namespace {

using B = BinaryFunction;
using U = UnaryFunction;

int64_t process_seed() {
  static const int64_t seed = [] {
    std::random_device device;
    return static_cast<int64_t>(uint64_t{device()} << 32 | device());
  }();
  return seed;
}

// The dtype that the node names, else `otherwise`.
DType named_type(NodeImport& n, DType otherwise) {
  if (!n.has_attribute("dtype")) return otherwise;
  Result<DType> t = dtype_of(static_cast<int32_t>(n.integer("dtype", 0)));
  if (!t.ok()) n.fail(t.take_status());
  return t.ok() ? *t : otherwise;
}

void require_float(NodeImport& n, DType t) {
  if (n.ok() && !dtype_is_float(t)) n.unsupported("dtype is {}; expected a float", dtype_name(t));
}

SymDims shape_of(NodeImport& n) {
  SymDims dims;
  const std::vector<int64_t> shape = n.integers("shape");
  if (n.ok() && shape.size() > static_cast<size_t>(kMaxRank)) n.unsupported("the shape has rank {}; at most {}", shape.size(), kMaxRank);
  if (!n.ok()) return dims;
  for (const int64_t d : shape) {
    if (d < 0) n.wrong("shape holds {}; expected 0 or more", d);
    dims.push_back(d);
  }
  return dims;
}

void uniform(NodeImport& n, DType t, const SymDims& dims) {
  require_float(n, t);
  const DType wide = NodeImport::computed_type(t);
  const auto low = static_cast<double>(n.real("low", 0.f)), high = static_cast<double>(n.real("high", 1.f));
  const ValueId u = random_numbers(n, wide, dims);
  n.out(0, n.cast(n.binary(B::add, n.binary(B::mul, u, n.scalar(wide, high - low)), n.scalar(wide, low)), t));
}

// Box and Muller: sqrt(-2 log(1 - u)) cos(2 pi v), in binary32.
void normal(NodeImport& n, DType t, const SymDims& dims) {
  require_float(n, t);
  const auto number = [&](double v) { return n.scalar(DType::f32, v); };
  const ValueId u = random_numbers(n, DType::f32, dims, 1), v = random_numbers(n, DType::f32, dims, 2);
  const ValueId log = n.unary(U::log, n.binary(B::sub, number(1), u));
  const ValueId radius = n.unary(U::sqrt, n.binary(B::mul, log, number(-2)));
  const ValueId z = n.binary(B::mul, radius, n.unary(U::cos, n.binary(B::mul, v, number(6.283185307179586))));
  const ValueId scaled = n.binary(B::mul, z, number(static_cast<double>(n.real("scale", 1.f))));
  n.out(0, n.cast(n.binary(B::add, scaled, number(static_cast<double>(n.real("mean", 0.f)))), t));
}

using Fill = void (*)(NodeImport& n, DType t, const SymDims& dims);
template <Fill F> void from_shape(NodeImport& n) {
  const DType t = named_type(n, DType::f32);
  const SymDims dims = shape_of(n);
  if (n.ok()) F(n, t, dims);
}
template <Fill F> void from_input(NodeImport& n) {
  const ValueId x = n.in(0);
  const DType t = named_type(n, n.dtype(x));
  if (n.ok()) F(n, t, n.dims(x));
}

// 1 with the probability that x holds.
void bernoulli(NodeImport& n) {
  const ValueId x = n.in(0);
  const DType t = named_type(n, n.dtype(x));
  if (!n.ok()) return;
  const DType wide = NodeImport::computed_type(n.dtype(x));
  n.out(0, n.cast(n.binary(B::less, random_numbers(n, wide, n.dims(x)), n.cast(x, wide)), t));
}

// How many of the running sums [rows, classes], but for the last one, which may be a little less than 1, are not above u [rows, samples]:
// found by halving.
ValueId places_among(NodeImport& n, ValueId sums, ValueId u, int64_t classes) {
  const auto number = [&](int64_t v) { return n.scalar(DType::i32, static_cast<double>(v)); };
  const auto last = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(classes)) / 2);
  ValueId place = kNoValue;  // of the last one that is known not to be above
  for (int64_t step = last; step > 0; step /= 2) {
    const bool first = step == last;
    const int64_t middle = std::min(step - 1, classes - 2);
    const ValueId next = first ? number(middle) : n.binary(B::min, n.binary(B::add, place, number(step)), number(classes - 2));
    const ValueId sum = first ? n.slice(sums, 1, middle, 1) : n.add(GatherElements::make(1), {sums, next});
    place = n.where(n.binary(B::less_equal, sum, u), next, first ? number(-1) : place);
  }
  return n.binary(B::add, place, number(1));
}

// Classes by their unnormalised log probabilities: a sample is the number of running sums of the probabilities that are not above it.
void multinomial(NodeImport& n) {
  const ValueId x = n.widened(n.in(0));
  if (n.ok() && n.rank(x) != 2) n.wrong("input 0 has rank {}; expected 2", n.rank(x));
  const DType t = n.has_attribute("dtype") ? named_type(n, DType::i32) : DType::i32;
  const int64_t samples = n.integer("sample_size", 1);
  if (n.ok() && samples < 0) n.wrong("sample_size is {}; expected 0 or more", samples);
  if (n.ok() && t != DType::i32 && t != DType::i64) n.unsupported("dtype is {}; expected int32 or int64", dtype_name(t));
  if (!n.ok()) return;
  DimPool& pool = n.pool();
  const Dim rows = n.dims(x)[0], classes = n.dims(x)[1];
  n.require(pool.less(0, classes), formatted("the number of classes, {}, is 1 or more", pool.text(classes)));
  const ValueId sums = n.add(CumSum::make(false, false), {n.add(Softmax::make(1, false), {x}), n.scalar(DType::i64, 1)});
  const ValueId u = random_numbers(n, n.dtype(x), {rows, samples});
  constexpr int64_t kFewClasses = 2, kMostClasses = 1 << 24;
  if (classes.is_number() && classes.number() >= kFewClasses && classes.number() <= kMostClasses)
    return n.out(0, n.cast(places_among(n, sums, u, classes.number()), t));
  const ValueId below = n.binary(B::less_equal, n.reshape(sums, {rows, 1, classes}), n.reshape(u, {rows, samples, 1}));
  const int64_t last[] = {2};
  const ValueId count = n.cast(n.add(Reduce::make(ReduceKind::sum, last, false), {n.cast(below, DType::i32)}), DType::i64);
  // The last sum may be a little less than 1.
  const ValueId most = n.shape(DType::i64, {}, {pool.sub(classes, 1)});
  n.out(0, n.cast(n.binary(B::min, count, most), t));
}

constexpr Importer kRandomOperators[] = {
    {"Bernoulli", 15, bernoulli},
    {"Multinomial", 7, multinomial},
    {"RandomNormal", 1, from_shape<normal>},
    {"RandomNormalLike", 1, from_input<normal>},
    {"RandomUniform", 1, from_shape<uniform>},
    {"RandomUniformLike", 1, from_input<uniform>},
};

}  // namespace

ValueId random_numbers(NodeImport& n, DType dtype, const SymDims& dims, int64_t stream) {
  if (n.in_loop)
    n.unsupported("random numbers in a loop's body, each iteration of which would give the same ones; expected outside of loops");
  RandomUniform::Attributes a;
  a.dtype = dtype;
  a.dims = dims;
  a.stream = stream;
  const Attribute* seed = n.find("seed");
  if (seed == nullptr) a.seed = process_seed() ^ static_cast<int64_t>(std::hash<std::string_view>()(NodeImport::name_of(n.proto())));
  else if (seed->type == Attribute::kInt) a.seed = seed->i;  // of Dropout
  else a.seed = static_cast<int64_t>(std::bit_cast<uint32_t>(n.real("seed", 0.f)));
  return n.add(RandomUniform::make(a), {});
}

std::span<const Importer> random_importers() { return kRandomOperators; }

}  // namespace anydim::onnx
