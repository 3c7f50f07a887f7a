// SPDX-License-Identifier: Apache-2.0
// Arithmetic, comparison, logic, bits and conversion, element by element; Where; sums of any number of inputs.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/ops/operators/cast.h"
#include "onnx/operators/half.h"
#include "onnx/walk/operators.h"
#include "onnx/operators/random_numbers.h"

namespace anydim::onnx {
namespace {

// The second operand. Before opset 7 it has the dims of the first, or with `broadcast` those of axes of it that lie side by side: from
// `axis` on, or else the last ones.
ValueId second_operand(NodeImport& n) {
  const ValueId a = n.in(0), b = n.in(1);
  if (!n.ok() || n.opset() >= 7) return b;
  const SymDims whole = n.dims(a), part = n.dims(b);
  if (n.integer("broadcast", 0) == 0) {
    if (part.rank != whole.rank)
      n.wrong("inputs have dims {} and {}; expected equal dims, for broadcast is 0", n.pool().text(whole), n.pool().text(part));
    for (int i = 0; i < part.rank && n.ok(); ++i) n.require_equal(part[i], whole[i], formatted("dim {} of input 1", i));
    return b;
  }
  const int64_t last = whole.rank - part.rank, axis = n.integer("axis", last);
  if (n.ok() && (axis < 0 || axis > last))
    n.wrong("axis is {}; expected 0 to {}, for inputs have dims {} and {}", axis, last, n.pool().text(whole), n.pool().text(part));
  if (!n.ok()) return kNoValue;
  SymDims placed = part;
  while (placed.rank < whole.rank - axis) placed.push_back(1);
  const ValueId y = n.reshape(b, placed);
  n.require_fits(y, whole, "input 1");
  return y;
}

template <UnaryFunction F> void unary(NodeImport& n) { n.out(0, n.unary(F, n.in(0))); }
template <BinaryFunction F> void binary(NodeImport& n) { n.out(0, n.binary(F, n.in(0), second_operand(n))); }

// Sum, Max, Min, Mean of one or more inputs: from the first to the last. 16-bit floats are added in float32 and rounded
// once; the largest and the smallest are among the inputs, so nothing is rounded there.
template <BinaryFunction F> ValueId chain(NodeImport& n) {
  constexpr bool kRounds = F == BinaryFunction::add;
  if (n.input_count() == 0) n.wrong("no inputs; expected one or more");
  ValueId y = n.in(0);
  if (kRounds && n.input_count() > 1) y = n.widened(y);
  for (size_t i = 1; i < n.input_count(); ++i) y = n.binary(F, y, kRounds ? n.widened(n.in(i)) : n.in(i));
  return y;
}
template <BinaryFunction F> void variadic(NodeImport& n) { n.out(0, n.cast(chain<F>(n), n.dtype(n.in(0)))); }
void mean(NodeImport& n) {
  const ValueId sum = chain<BinaryFunction::add>(n);
  const auto count = static_cast<double>(n.input_count());
  n.out(0, n.cast(count == 1 ? sum : n.binary(BinaryFunction::div, sum, n.scalar(n.dtype(sum), count)), n.dtype(n.in(0))));
}

// The slope broadcasts to x, and not the other way round. Before opset 7 a vector has one slope for each channel, or one for all.
void prelu(NodeImport& n) {
  const ValueId x = n.in(0);
  ValueId slope = n.in(1);
  if (n.ok() && n.opset() < 7 && n.rank(slope) == 1 && n.rank(x) > 1) {
    SymDims channels = SymDims::filled(n.rank(x) - 1, 1);
    channels[0] = n.dims(slope)[0];
    slope = n.reshape(slope, channels);
  }
  n.require_fits(slope, n.dims(x), "slope");
  n.out(0, n.binary(BinaryFunction::prelu, x, slope));
}

void mod(NodeImport& n) {
  const bool truncate = n.integer("fmod", 0) != 0;
  const ValueId a = n.in(0);
  if (n.ok() && !truncate && dtype_is_float(n.dtype(a)) && n.opset() < 28)
    n.wrong("fmod is 0 and the inputs are {}; it must be 1 for floats", dtype_name(n.dtype(a)));
  n.out(0, n.binary(truncate ? BinaryFunction::mod_trunc : BinaryFunction::mod_floor, a, n.in(1)));
}

void bit_shift(NodeImport& n) {
  const bool right = n.choice("direction", "", {"LEFT", "RIGHT"}) == 1;
  n.out(0, n.binary(right ? BinaryFunction::shift_right : BinaryFunction::shift_left, n.in(0), n.in(1)));
}

void is_inf(NodeImport& n) {
  const float up = n.integer("detect_positive", 1) != 0 ? 1.f : 0.f;
  const float down = n.integer("detect_negative", 1) != 0 ? 1.f : 0.f;
  n.out(0, n.unary(UnaryFunction::is_inf, n.in(0), up, down));
}

// ONNX takes integers, too, and leaves open what comes out.
void erf(NodeImport& n) {
  const ValueId x = n.in(0);
  if (n.ok() && !dtype_is_float(n.dtype(x))) n.unsupported("input 0 has dtype {}; expected a float", dtype_name(n.dtype(x)));
  n.out(0, n.unary(UnaryFunction::erf, x));
}

void where(NodeImport& n) { n.out(0, n.where(n.in(0), n.in(1), n.in(2))); }

// Before opset 6 the type is called by the name that TensorProto.DataType has for it.
int64_t named_type(NodeImport& n) {
  constexpr std::string_view kNames[] = {"UNDEFINED", "FLOAT",  "UINT8", "INT8",    "UINT16", "INT16",  "INT32",
                                         "INT64",     "STRING", "BOOL",  "FLOAT16", "DOUBLE", "UINT32", "UINT64"};
  const auto found = std::ranges::find(kNames, n.text("to", ""));
  if (found == std::end(kNames)) n.wrong("attribute to is '{}'; expected the name of an element type, as FLOAT", shown(n.text("to", "")));
  return found - kNames;
}

// `saturate` and `round_mode` are about 8-bit floats alone.
ValueId cast_to(NodeImport& n, ValueId x, DType to) {
  constexpr PowerRounding kRoundings[] = {PowerRounding::up, PowerRounding::down, PowerRounding::nearest};
  Cast::Attributes a;
  a.to = to;
  a.overflows = n.integer("saturate", 1) == 0 && dtype_is_narrow(to);
  a.rounding = kRoundings[n.choice("round_mode", "up", {"up", "down", "nearest"})];
  if (to != DType::f8e8m0) a.rounding = PowerRounding::up;
  return n.dtype(x) == to ? x : n.add(Cast::make(a), {x});
}
// Numbers that strings spell; 8- and 16-bit dtypes are rounded from float64 as any other.
ValueId cast_of_strings(NodeImport& n, DType to) {
  const bool stored = to == DType::f16 || to == DType::bf16 || dtype_is_narrow(to);
  return cast_to(n, numbers_of_strings(n, 0, stored ? DType::f64 : to), to);
}

void cast(NodeImport& n) {
  const int64_t to = n.opset() < 6 ? named_type(n) : n.integer("to");
  if (!n.ok()) return;
  if (to == kString) return import_cast_to_strings(n);
  Result<DType> dtype = dtype_of(to < 0 || to > INT32_MAX ? -1 : static_cast<int32_t>(to));
  if (!dtype.ok()) return n.fail(dtype.take_status());
  if (n.holds_strings(0)) return n.out(0, cast_of_strings(n, *dtype));
  // Also where nothing changes: the node's value has its own name, and folding removes it.
  n.out(0, cast_to(n, n.in(0), *dtype));
}
void cast_like(NodeImport& n) {
  const ValueId like = n.in(1);
  if (n.holds_strings(1)) return import_cast_to_strings(n);
  if (n.holds_strings(0)) return n.out(0, cast_of_strings(n, n.dtype(like)));
  n.out(0, cast_to(n, n.in(0), n.dtype(like)));
}

// The largest finite number of a float type.
double largest(DType t) {
  switch (t) {
    case DType::f16: return 65504.0;
    case DType::bf16: return static_cast<double>(bfloat16_to_float(0x7F7F));
    case DType::f32: return static_cast<double>(std::numeric_limits<float>::max());
    default: return std::numeric_limits<double>::max();
  }
}

// Clip: bounds are attributes before opset 11 and optional inputs since. A bound that is not given is the lowest or the
// largest finite number, so infinities do not pass; the attributes' defaults are those of float32.
void clip(NodeImport& n) {
  const ValueId x = n.in(0);
  const DType t = n.dtype(x);
  const bool attributes = n.opset() < 11;
  if (n.ok() && attributes && !dtype_is_float(t))
    return n.wrong("input 0 has dtype {}; before opset 11 Clip takes floats, and the model imports {}", dtype_name(t), n.opset());
  double lo = -largest(t), hi = largest(t);
  bool known = true;
  if (attributes) {
    lo = n.real("min", std::numeric_limits<float>::lowest());
    hi = n.real("max", std::numeric_limits<float>::max());
  } else {
    const auto bound = [&](size_t i, const char* what, double* to) {
      if (!n.has(i)) return;
      const SymDims dims = n.dims(n.in(i));
      if (dims.rank > 1) n.wrong("input {} ({}) has dims {}; expected a scalar", i, what, n.pool().text(dims));
      n.require_single(n.in(i), what);
      known = known && n.is_known_number(i);
      if (!known) return;
      const std::vector<double> v = n.real_numbers(i, what);
      if (!v.empty()) *to = v[0];
    };
    bound(1, "min", &lo);
    bound(2, "max", &hi);
  }
  if (!n.ok()) return;
  // The function's bounds are f32; a bound of another type that is none of these stays a tensor.
  const bool exact = static_cast<double>(static_cast<float>(lo)) == lo && static_cast<double>(static_cast<float>(hi)) == hi;
  if (dtype_is_float(t) && known && exact && !std::isnan(lo) && !std::isnan(hi))
    return n.out(0, n.unary(UnaryFunction::clip, x, static_cast<float>(lo), static_cast<float>(hi)));
  // Of integers in one step; of sizes, with one bound and with bounds beyond 2^53, which were read as doubles, it is the larger or the
  // smaller of two.
  const bool small = std::abs(lo) < 0x1p53 && std::abs(hi) < 0x1p53;
  if (!dtype_is_float(t) && n.has(1) && n.has(2) && known && exact && small && !n.value(x).shape_values.known)
    return n.out(0, n.unary(UnaryFunction::clip, x, static_cast<float>(lo), static_cast<float>(hi)));
  ValueId y = x;
  if (n.has(1)) y = n.binary(BinaryFunction::max, y, n.reshape(n.in(1), {}));
  else if (dtype_is_float(t)) y = n.binary(BinaryFunction::max, y, n.scalar(t, lo));
  if (n.has(2)) y = n.binary(BinaryFunction::min, y, n.reshape(n.in(2), {}));
  else if (dtype_is_float(t)) y = n.binary(BinaryFunction::min, y, n.scalar(t, hi));
  n.out(0, y);
}

// Each element is dropped with the probability `ratio`, and the others are scaled, where the node trains.
void train_dropout(NodeImport& n, ValueId training) {
  using Binary = BinaryFunction;
  const ValueId x = n.in(0), wide = n.widened(x);
  const DType t = n.dtype(wide);
  const auto scalar = [&](ValueId v, DType to) { return n.reshape(n.cast(v, to), {}); };
  const ValueId ratio = n.has(1) ? scalar(n.in(1), t) : n.scalar(t, 0.5);
  ValueId kept = n.binary(Binary::less_equal, ratio, random_numbers(n, t, n.dims(x)));
  const ValueId scale = n.binary(Binary::div, n.scalar(t, 1), n.binary(Binary::sub, n.scalar(t, 1), ratio));
  ValueId y = n.where(kept, n.binary(Binary::mul, wide, scale), n.scalar(t, 0));
  if (training != kNoValue) {
    training = n.reshape(training, {});
    y = n.where(training, y, wide);
    kept = n.binary(Binary::logical_or, kept, n.unary(UnaryFunction::logical_not, training));
  }
  n.out(0, n.cast(y, n.dtype(x)));
  n.out(1, kept);
}

// Nothing but its input: what is left of Dropout when nothing is dropped, in inference and in training with ratio 0.
void identity(NodeImport& n) { n.out(0, n.in(0)); }
void dropout(NodeImport& n) {
  const ValueId x = n.in(0);
  bool inference = true;
  if (n.opset() < 7) {
    inference = n.integer("is_test", 0) != 0;
    if (n.ok() && !inference && n.real("ratio", 0.5f) != 0.f) n.unsupported("is_test is 0; expected 1, or a ratio of 0");
  } else if (n.has(2)) {
    const bool known = n.is_known_number(2);
    inference = known && n.real_numbers(2, "training_mode") == std::vector<double>{0.0};
    const bool zero = n.has(1) && n.is_known_number(1) && n.real_numbers(1, "ratio") == std::vector<double>{0.0};
    if (n.ok() && !inference && !zero) return train_dropout(n, known ? kNoValue : n.in(2));
  }
  n.out(0, x);
  // In a test before opset 7 there is no mask.
  if (n.wants(1) && !(n.opset() < 7 && inference))
    n.out(1, n.expand(n.scalar(n.opset() < 10 ? n.dtype(x) : DType::boolean, 1.0), n.dims(x)));
}

using U = UnaryFunction;
using B = BinaryFunction;

constexpr Importer kElementwiseOperators[] = {
    {"Abs", 1, unary<U::abs>},
    {"Acos", 7, unary<U::acos>},
    {"Acosh", 9, unary<U::acosh>},
    {"Add", 1, binary<B::add>},
    {"And", 1, binary<B::logical_and>},
    {"Asin", 7, unary<U::asin>},
    {"Asinh", 9, unary<U::asinh>},
    {"Atan", 7, unary<U::atan>},
    {"Atanh", 9, unary<U::atanh>},
    {"BitShift", 11, bit_shift},
    {"BitwiseAnd", 18, binary<B::bitwise_and>},
    {"BitwiseNot", 18, unary<U::bitwise_not>},
    {"BitwiseOr", 18, binary<B::bitwise_or>},
    {"BitwiseXor", 18, binary<B::bitwise_xor>},
    {"Cast", 1, cast},
    {"CastLike", 15, cast_like},
    {"Ceil", 1, unary<U::ceil>},
    {"Clip", 1, clip},
    {"Cos", 7, unary<U::cos>},
    {"Cosh", 9, unary<U::cosh>},
    {"Div", 1, binary<B::div>},
    {"Dropout", 1, dropout},
    {"Equal", 1, binary<B::equal>},
    {"Erf", 9, erf},
    {"Exp", 1, unary<U::exp>},
    {"Floor", 1, unary<U::floor>},
    {"Greater", 1, binary<B::greater>},
    {"GreaterOrEqual", 12, binary<B::greater_equal>},
    {"Identity", 1, identity},
    {"IsInf", 10, is_inf},
    {"IsNaN", 9, unary<U::is_nan>},
    {"Less", 1, binary<B::less>},
    {"LessOrEqual", 12, binary<B::less_equal>},
    {"Log", 1, unary<U::log>},
    {"Max", 1, variadic<B::max>},
    {"Mean", 1, mean},
    {"Min", 1, variadic<B::min>},
    {"Mod", 10, mod},
    {"Mul", 1, binary<B::mul>},
    {"Neg", 1, unary<U::neg>},
    {"Not", 1, unary<U::logical_not>},
    {"Or", 1, binary<B::logical_or>},
    {"PRelu", 1, prelu},
    {"Pow", 1, binary<B::pow>},
    {"Reciprocal", 1, unary<U::reciprocal>},
    {"Round", 11, unary<U::round_even>},
    {"Sign", 9, unary<U::sign>},
    {"Sin", 7, unary<U::sin>},
    {"Sinh", 9, unary<U::sinh>},
    {"Sqrt", 1, unary<U::sqrt>},
    {"Sub", 1, binary<B::sub>},
    {"Sum", 1, variadic<B::add>},
    {"Tan", 7, unary<U::tan>},
    {"Tanh", 1, unary<U::tanh>},
    {"Where", 9, where},
    {"Xor", 1, binary<B::logical_xor>},
};

}  // namespace

std::span<const Importer> elementwise_importers() { return kElementwiseOperators; }

}  // namespace anydim::onnx
