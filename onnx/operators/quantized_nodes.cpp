// SPDX-License-Identifier: Apache-2.0
// Scales, zero points and conversions; see quantized_nodes.h. A conversion is a cast with a quantization where that can say it, else
// it is written out by operators, with the same roundings.
#include "onnx/operators/quantized_nodes.h"

#include <algorithm>
#include <cmath>

#include "core/ops/operators/cast.h"
#include "core/ops/operators/concat.h"
#include "core/ops/operators/quantization_range.h"
#include "onnx/operators/half.h"

namespace anydim::onnx {

bool floats_of(const ConstantTensor& c, std::vector<float>* out) {
  const auto append = [&](auto list) {
    for (const auto v : list) out->push_back(static_cast<float>(v));
  };
  switch (c.dtype()) {
    case DType::f32: append(c.as<float>()); break;
    case DType::i8: append(c.as<int8_t>()); break;
    case DType::u8: append(c.as<uint8_t>()); break;
    case DType::i16: append(c.as<int16_t>()); break;
    case DType::u16: append(c.as<uint16_t>()); break;
    case DType::f16:
      for (const uint16_t h : c.as<uint16_t>()) out->push_back(half_to_float(h));
      break;
    case DType::bf16:
      for (const uint16_t h : c.as<uint16_t>()) out->push_back(bfloat16_to_float(h));
      break;
    case DType::u4:
      for (const uint8_t b : c.as<uint8_t>()) out->push_back(b);
      break;
    case DType::i4:
      for (const uint8_t b : c.as<uint8_t>()) out->push_back(static_cast<float>(b < 8 ? b : b - 16));
      break;
    default: return false;
  }
  return true;
}

namespace {

// One number a byte, from bytes that hold several, the first in the low bits.
template <int kBits> std::shared_ptr<const void> numbers_apart(const ConstantTensor& of, const ConstantTensor& to) {
  constexpr int64_t kInByte = 8 / kBits;
  const int64_t rows = to.dims()[0], columns = to.dims()[1], row_bytes = of.count() / std::max<int64_t>(rows, 1);
  auto memory = std::make_shared<std::vector<uint8_t>>(static_cast<size_t>(to.count()));
  uint8_t* next = memory->data();
  for (int64_t r = 0; r < rows; ++r) {
    const auto* const row = reinterpret_cast<const uint8_t*>(of.address()) + r * row_bytes;
    if constexpr (kBits == 8) next = std::copy_n(row, columns, next);
    else
      for (int64_t c = 0; c < columns; ++c) *next++ = row[c / kInByte] >> (c % kInByte * kBits) & ((1 << kBits) - 1);
  }
  return {memory, memory->data()};
}

}  // namespace

ConstantPtr values_in_rows(const ConstantPtr& bytes, const Dims& dims, int64_t bits) {
  if (bits == 8 && bytes->count() == element_count(dims)) return ConstantTensor::reshaped(*bytes, dims);
  return ConstantTensor::later(bits == 8 ? DType::u8 : DType::u4, dims, bytes,
                               bits == 8   ? numbers_apart<8>
                               : bits == 4 ? numbers_apart<4>
                                           : numbers_apart<2>);
}

ValueId dequantized_constant(NodeImport& n, ValueId x, ValueId scale, ValueId zero, int axis, int64_t block) {
  if (!n.ok() || n.rank(x) != 2 || n.rank(scale) != 2 || block < 1) return kNoValue;
  Dequantized d;
  d.numbers = n.value(x).constant;
  const ConstantPtr s = n.value(scale).constant, z = zero == kNoValue ? nullptr : n.value(zero).constant;
  if (!d.numbers || !s || (zero != kNoValue && !z)) return kNoValue;
  const DType t = d.numbers->dtype();
  if (t != DType::i8 && t != DType::u8 && t != DType::i4 && t != DType::u4) return kNoValue;
  Dims dims = d.numbers->dims();
  dims[axis] = ceil_div(dims[axis], block);
  std::vector<float> scales, zeros;
  if (!(s->dims() == dims) || (z && !(z->dims() == dims)) || !floats_of(*s, &scales) || (z && !floats_of(*z, &zeros))) return kNoValue;
  d.axis = axis;
  d.block = block;
  d.scales = s->dtype() == DType::f32 ? s : ConstantTensor::of<float>(DType::f32, dims, scales);
  if (z) d.zero_points = ConstantTensor::of<float>(DType::f32, dims, zeros);
  return n.graph().add_constant(n.value(x).name, ConstantTensor::dequantized(std::move(d)));
}

namespace {

// A vector as a tensor that meets axis `axis` of one of this rank.
ValueId along(NodeImport& n, ValueId v, int axis, int rank) {
  if (!n.ok() || n.rank(v) != 1 || axis < 0 || n.dims(v)[0].is(1)) return v;
  SymDims dims = SymDims::filled(rank, 1);
  dims[axis] = n.dims(v)[0];
  return n.reshape(v, dims);
}

constexpr int64_t kOneBlock = -1;  // a block size: all elements of the axis are one

// Whether blocks fill the axis: then they are an axis of their own, along which factors broadcast.
bool blocks_fill(NodeImport& n, ValueId x, int axis, int64_t block) {
  if (!n.ok() || block < 1 || n.rank(x) >= kMaxRank) return false;
  const Dim whole = n.dims(x)[axis];
  return whole.is_number() && whole.number() % block == 0;
}
ValueId in_blocks(NodeImport& n, ValueId x, int axis, int64_t block) {
  if (!blocks_fill(n, x, axis, block)) return x;
  SymDims dims = n.dims(x);
  dims[axis] = dims[axis].number() / block;
  dims.insert(axis + 1, block);
  return n.reshape(x, dims);
}

// Calls f(x, scale, zero, block) on all, or on the whole blocks and on what is behind them, where the number of elements is not known
// but that of the scales: nothing is repeated then.
template <class F> ValueId in_whole_blocks(NodeImport& n, ValueId x, ValueId scale, ValueId zero, int axis, int64_t block, const F& f) {
  const auto all = [&] { return f(x, scale, zero, block); };
  if (!n.ok() || block < 1 || blocks_fill(n, x, axis, block) || n.rank(scale) != n.rank(x) || n.rank(x) >= kMaxRank) return all();
  const Dim blocks = n.dims(scale)[axis], whole = n.dims(x)[axis];
  if (!blocks.is_number() || blocks.number() < 1 || blocks.number() > INT32_MAX / block) return all();
  for (int i = 0; i < n.rank(x) && n.ok(); ++i)
    n.require_equal(n.dims(scale)[i], i == axis ? n.pool().ceil_div(whole, block) : n.dims(x)[i], formatted("dim {} of the scales", i));
  if (zero != kNoValue && n.ok() && n.rank(zero) == n.rank(scale)) n.require_equal(n.dims(zero)[axis], blocks, "the number of zero points");
  if (!n.ok() || (zero != kNoValue && n.rank(zero) != n.rank(scale))) return all();
  const int64_t before = blocks.number() - 1;
  const auto last = [&](ValueId v) { return v == kNoValue ? v : n.slice(v, axis, before, 1); };
  const auto first = [&](ValueId v) { return v == kNoValue ? v : n.slice(v, axis, 0, before); };
  const ValueId rest = n.slice(x, axis, before * block, n.pool().sub(whole, before * block));
  const ValueId tail = f(rest, last(scale), last(zero), kOneBlock);
  if (before == 0) return tail;
  return n.add(Concat::make(axis), {f(n.slice(x, axis, 0, before * block), first(scale), first(zero), block), tail});
}

// Each element `block` times along the axis, as many as x has; where blocks fill it, once for a block.
ValueId repeated(NodeImport& n, ValueId v, ValueId x, int axis, int64_t block) {
  if (!n.ok() || block == kOneBlock) return v;
  const SymDims whole = n.dims(x);
  SymDims dims = n.dims(v);
  if (dims.rank != whole.rank) {
    n.wrong("scales have rank {}; with block_size expected that of input 0, {}", dims.rank, whole.rank);
    return v;
  }
  for (int i = 0; i < dims.rank && n.ok(); ++i)
    n.require_equal(dims[i], i == axis ? n.pool().ceil_div(whole[i], block) : whole[i], formatted("dim {} of the scales", i));
  SymDims apart = dims;
  apart.insert(axis + 1, 1);
  if (blocks_fill(n, x, axis, block)) return n.reshape(v, apart);
  SymDims wide = apart;
  wide[axis + 1] = block;
  SymDims flat = dims;
  flat[axis] = n.pool().mul(dims[axis], block);
  return n.slice(n.reshape(n.expand(n.reshape(v, apart), wide), flat), axis, 0, whole[axis]);
}

}  // namespace

ValueId ChannelsLast::turned(ValueId x, bool back) const {
  if (!last_ || !n_.ok()) return x;
  const int rank = n_.rank(x);
  if (rank < 3) n_.wrong("channels_last is 1 with rank {}; expected 3 or more", rank);
  Perm perm{0};
  if (!back) perm.push_back(rank - 1);
  for (int a = 1; a < rank - 1; ++a) perm.push_back(back ? a + 1 : a);
  if (back) perm.push_back(1);
  return n_.ok() ? n_.transpose(x, perm) : x;
}

void require_dtype(NodeImport& n, size_t i, std::initializer_list<DType> dtypes) {
  if (!n.ok() || !n.has(i)) return;
  const DType found = n.dtype(n.in(i));
  std::string names;
  for (const DType t : dtypes) {
    if (t == found) return;
    names += formatted("{}{}", names.empty() ? "" : ", ", dtype_name(t));
  }
  n.wrong("input {} has dtype {}; expected one of {}", i, dtype_name(found), names);
}

bool QuantizationImport::add(int operand, bool is_scale, ValueId v, const TensorType& of, int axis) {
  if (v == kNoValue || !n_.ok()) return true;
  if (!is_scale && n_.dtype(v) != of.dtype)
    n_.wrong("a zero point has dtype {}; expected that of its quantized values, {}", dtype_name(n_.dtype(v)), dtype_name(of.dtype));
  if (is_scale && !dtype_is_float(n_.dtype(v))) n_.wrong("a scale has dtype {}; expected a float", dtype_name(n_.dtype(v)));
  if (!n_.ok()) return true;
  const SymDims dims = n_.dims(v);
  Dim count = 1;
  for (const Dim d : dims) count = n_.pool().mul(count, d);
  if (!count.is_number() || count.is(0)) return false;
  const bool single = count.is(1);
  if (!single && (dims.rank != 1 || axis < 0)) return false;
  Quantization::Factors f;
  if (!single) {
    n_.require_equal(count, of.dims[axis], is_scale ? "the number of scales" : "the number of zero points");
    f.axis = axis;
  }
  std::vector<float> values;
  const ConstantPtr constant = n_.value(v).constant;
  bool fixed = constant && floats_of(*constant, &values);
  for (const float x : values) fixed = fixed && (!is_scale || (x > 0 && std::isfinite(x)));
  if (fixed) {
    bool any = is_scale;
    for (const float x : values) any = any || x != 0;
    if (!any) return true;  // zero points of 0
    f.from = Quantization::Factors::From::attribute;
    f.values = std::move(values);
  } else {
    f.from = Quantization::Factors::From::operand;
    ValueId tensor = is_scale ? n_.cast(v, DType::f32) : v;
    if (single && dims.rank > 1) tensor = n_.reshape(tensor, {});
    tensors.push_back(tensor);
  }
  (is_scale ? quantization.scale : quantization.zero_point)[operand] = std::move(f);
  return true;
}

namespace {

// What numbers of few bits and 8-bit floats are computed in.
DType computed_in(DType narrow) noexcept {
  if (narrow == DType::i4 || narrow == DType::i2) return DType::i8;
  return narrow == DType::u4 || narrow == DType::u2 ? DType::u8 : DType::f32;
}

// Numbers of few bits are those of a byte, cut off at their ends.
ValueId within_bits(NodeImport& n, ValueId bytes, DType to) {
  if (!n.ok()) return kNoValue;
  const int bits = narrow_bits(to);
  const bool is_signed = n.dtype(bytes) == DType::i8;
  const double most = (1 << (is_signed ? bits - 1 : bits)) - 1;
  ValueId y = n.binary(BinaryFunction::min, bytes, n.scalar(n.dtype(bytes), most));
  if (is_signed) y = n.binary(BinaryFunction::max, y, n.scalar(DType::i8, -most - 1));
  return n.cast(y, to);
}

}  // namespace

ValueId quantize(NodeImport& n, ValueId x, ValueId scale, ValueId zero, int axis, int64_t block, DType to, bool overflows) {
  if (!n.ok()) return kNoValue;
  x = n.cast(x, DType::f32);
  const DType computed = dtype_is_narrow(to) ? computed_in(to) : to;
  if (computed != to && zero != kNoValue) zero = n.cast(zero, computed);
  if (computed != to && computed != DType::f32) return within_bits(n, quantize(n, x, scale, zero, axis, block, computed, false), to);
  QuantizationImport q(n);
  const TensorType of{to, n.dims(x)};
  if (computed == to && block == 0 && q.scale(Quantization::kResult, scale, of, axis) &&
      q.zero_point(Quantization::kResult, zero, of, axis))
    return n.add_quantized(Cast::make(to), q.quantization, {x}, q.tensors);
  return in_whole_blocks(n, x, scale, zero, axis, block, [&](ValueId part, ValueId its_scale, ValueId its_zero, int64_t its_block) {
    const auto factor = [&](ValueId v) {
      v = n.cast(v, DType::f32);
      return block > 0 ? repeated(n, v, part, axis, its_block) : along(n, v, axis, of.dims.rank);
    };
    ValueId y = n.binary(BinaryFunction::div, in_blocks(n, part, axis, its_block), factor(its_scale));
    if (computed == to) y = n.unary(UnaryFunction::round_even, y);
    if (its_zero != kNoValue) y = n.binary(BinaryFunction::add, y, factor(its_zero));
    CastAttributes a;
    a.to = to;
    a.overflows = overflows;
    y = n.add(Cast::make(a), {y});
    return blocks_fill(n, part, axis, its_block) ? n.reshape(y, n.dims(part)) : y;
  });
}

ValueId dequantize(NodeImport& n, ValueId x, ValueId scale, ValueId zero, int axis, int64_t block) {
  if (!n.ok()) return kNoValue;
  if (const ValueId v = block > 0 ? dequantized_constant(n, x, scale, zero, axis, block) : kNoValue; v != kNoValue) return v;
  if (const DType t = n.dtype(x); dtype_is_narrow(t)) {
    x = n.cast(x, computed_in(t));
    if (zero != kNoValue) zero = n.cast(zero, computed_in(t));
  }
  QuantizationImport q(n);
  const TensorType of = n.type(x);
  const bool sums = of.dtype == DType::i32, real = of.dtype == DType::f32;
  if (!real && block == 0 && q.scale(0, scale, of, axis) && (!sums || zero == kNoValue) && q.zero_point(0, zero, of, axis))
    return n.add_quantized(Cast::make(DType::f32), q.quantization, {x}, q.tensors);
  return in_whole_blocks(n, x, scale, zero, axis, block, [&](ValueId part, ValueId its_scale, ValueId its_zero, int64_t its_block) {
    const auto factor = [&](ValueId v) { return block > 0 ? repeated(n, v, part, axis, its_block) : along(n, v, axis, of.dims.rank); };
    ValueId y = in_blocks(n, part, axis, its_block);
    if (!sums) y = n.cast(y, DType::f32);
    if (its_zero != kNoValue) y = n.binary(BinaryFunction::sub, y, factor(sums ? its_zero : n.cast(its_zero, DType::f32)));
    y = n.binary(BinaryFunction::mul, n.cast(y, DType::f32), factor(n.cast(its_scale, DType::f32)));
    return blocks_fill(n, part, axis, its_block) ? n.reshape(y, n.dims(part)) : y;
  });
}

DynamicNumbers quantize_dynamically(NodeImport& n, ValueId x) {
  const std::vector<ValueId> range = n.add_many(QuantizationRange::make(), {x}, QuantizationRange::kOutputs);
  if (!n.ok()) return {kNoValue, kNoValue, kNoValue};
  const ValueId scale = range[QuantizationRange::kScale], zero_point = range[QuantizationRange::kZeroPoint];
  return {quantize(n, x, scale, zero_point, DType::u8), scale, zero_point};
}

}  // namespace anydim::onnx
