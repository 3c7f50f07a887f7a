// SPDX-License-Identifier: Apache-2.0
// Drawn primitives with scales, zero points and results of another dtype, and what the f32 primitive of the same operator and
// docs/numerics.md make of them: centred 8-bit numbers are small whole floats, whose sums f32 has exactly.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>

#include "core/base/testing/random.h"
#include "core/dispatch/primitive/primitive.h"
#include "core/dispatch/testing/weights_of.h"
#include "core/dispatch/weights/weights_file.h"
#include "core/engines/cpu/engine.h"
#include "core/kernels/testing/emulated_instructions.h"
#include "core/ops/quantization.h"
#include "core/ops/text.h"

namespace anydim::testing::quantized {

using Factors = Quantization::Factors;
using From = Factors::From;

// For the test core_dispatch_emulated: before anything asks for kernels.
inline const bool emulates = [] {
  if constexpr (is_built_for(Processor::x86)) return emulate_if_asked();
  return false;
}();

inline HostTensor made(DType t, const Dims& dims) {
  HostTensor y;
  EXPECT_TRUE(HostTensor::allocate(t, dims, &y).ok());
  return y;
}

inline double element(const TensorView& t, int64_t i) {
  switch (t.dtype) {
    case DType::f32: return t.as<const float>()[i];
    case DType::i8: return t.as<const int8_t>()[i];
    case DType::u8: return t.as<const uint8_t>()[i];
    default: return t.as<const int32_t>()[i];
  }
}

inline void set(const TensorView& t, int64_t i, double v) {
  switch (t.dtype) {
    case DType::f32: t.as<float>()[i] = static_cast<float>(v); break;
    case DType::i8: t.as<int8_t>()[i] = static_cast<int8_t>(v); break;
    case DType::u8: t.as<uint8_t>()[i] = static_cast<uint8_t>(v); break;
    default: t.as<int32_t>()[i] = static_cast<int32_t>(v); break;
  }
}

inline TensorType type_of(const TensorView& t) {
  TensorType type{t.dtype, {}};
  for (const int64_t d : t.dims) type.dims.push_back(d);
  return type;
}
inline bool is_8_bit(DType t) { return t == DType::i8 || t == DType::u8; }
inline double low_of(DType t) { return t == DType::i8 ? -128 : t == DType::u8 ? 0 : -2147483648.0; }
inline double high_of(DType t) { return t == DType::i8 ? 127 : t == DType::u8 ? 255 : 2147483647.0; }

// Where an element of a dense tensor stands along an axis.
inline int64_t along(const Dims& dims, int axis, int64_t i) {
  int64_t inner = 1;
  for (int a = axis + 1; a < dims.rank; ++a) inner *= dims[a];
  return i / inner % dims[axis];
}

struct Case {
  OperatorPtr op;
  std::vector<HostTensor> in;
  PostOps chain;
  std::vector<HostTensor> chain_in;
  Quantization q;
  std::vector<HostTensor> factors;  // those that come with the execution
  // All of them, as the reference reads them.
  std::vector<float> scale[3], zero[3];
  std::string text;
  bool constant = false;

  std::vector<TensorView> inputs() const {
    std::vector<TensorView> all;
    for (const HostTensor& t : in) all.push_back(t.view);
    return all;
  }
  std::vector<TensorView> post_inputs() const {
    std::vector<TensorView> all;
    for (const auto* list : {&chain_in, &factors})
      for (const HostTensor& t : *list) all.push_back(t.view);
    return all;
  }
};

// Constants are packed, or mapped from a file of that name, to which they are saved first.
inline Status make(const Case& c, const EnginePtr& engine, PrimitivePtr* out, const std::string& file = {},
                   const std::string& kernel = {}) {
  PrimitiveAttributes attributes;
  attributes.kernel = kernel;
  attributes.post_ops = c.chain;
  attributes.quantization = std::make_shared<const Quantization>(c.q);
  const std::vector<TensorView> all = c.inputs();
  std::vector<TensorType> in = types_of(all);
  WeightsPtr weights;
  if (c.constant) {
    WeightsUse use;
    use.post_ops = c.chain;
    use.quantization = &c.q;
    use.kernel = kernel;
    ANYDIM_TRY(Weights::create(engine, c.op, by_operand(std::span(all).subspan(1)), use, &weights));
    in.resize(1);
    if (!file.empty()) {
      ANYDIM_TRY(save_weights(*weights, file));
      use.in = in;
      ANYDIM_TRY(load_weights(engine, c.op, use, file, &weights));
    }
  }
  return Primitive::create(engine, c.op, {nullptr, in, {}}, attributes, weights, out);
}

inline HostTensor run(const Case& c, const std::string& file = {}, const std::string& kernel = {}, int threads = 1) {
  PrimitivePtr p;
  if (Status s = make(c, cpu_engine(), &p, file, kernel); !s.ok()) {
    ADD_FAILURE() << c.text << ": " << s.message();
    return {};
  }
  Dims dims;
  for (const Dim d : p->out()[0].dims) dims.push_back(d.number());
  HostTensor y = made(p->out()[0].dtype, dims);
  std::vector<TensorView> in = c.inputs();
  if (c.constant) in.resize(1);
  const std::vector<TensorView> post = c.post_inputs();
  int64_t bytes = 0;
  EXPECT_TRUE(p->scratch_bytes(in, {&y.view, 1}, post, threads, &bytes).ok());
  auto scratch = AlignedBuffer::allocate(bytes);
  EXPECT_TRUE(scratch.ok());
  const Status s = p->execute(in, post, {&y.view, 1}, scratch->data(), bytes, Parallel(threads));
  EXPECT_TRUE(s.ok()) << c.text << ": " << s.message();
  return y;
}

// The same by the f32 primitive and the page.
inline HostTensor expected(const Case& c, DType result) {
  const bool integers = is_8_bit(c.in[0].view.dtype);
  std::vector<HostTensor> real;
  for (size_t i = 0; i < 2; ++i) {
    const TensorView& t = c.in[i].view;
    real.push_back(made(DType::f32, t.dims));
    for (int64_t k = 0; k < t.count(); ++k) {
      const std::vector<float>& z = c.zero[i];
      const int axis = c.q.zero_point[i].axis;
      const double zero = z.empty() ? 0 : z.size() == 1 ? z[0] : z[static_cast<size_t>(along(t.dims, axis, k))];
      set(real[i].view, k, element(t, k) - zero);
    }
  }
  if (!integers && c.in.size() > 2) real.push_back(c.in[2]);
  std::vector<TensorView> views;
  for (const HostTensor& t : real) views.push_back(t.view);
  std::vector<HostTensor> sums;
  const Status s = execute_once(c.op, views, {}, {}, &sums);
  EXPECT_TRUE(s.ok()) << c.text << ": " << s.message();
  const TensorView& sum = sums[0].view;
  HostTensor y = made(result, sum.dims);
  const Dims& d = sum.dims;
  const bool matmul = c.op->kind() == OpKind::matmul;
  // A factor of an operand for element k of the result.
  const auto factor = [&](const std::vector<float>& values, int operand, const Factors& f, int64_t k) {
    if (values.size() == 1) return values[0];
    const int axis = operand == Quantization::kResult ? f.axis : operand == 0 ? (matmul ? d.rank - 2 : 0) : (matmul ? d.rank - 1 : 1);
    return values[static_cast<size_t>(along(d, axis, k))];
  };
  for (int64_t k = 0; k < sum.count(); ++k) {
    int64_t whole = integers ? static_cast<int64_t>(sum.as<float>()[k]) : 0;
    const TensorView* bias = integers && c.in.size() > 2 ? &c.in[2].view : nullptr;
    const int64_t channel = bias != nullptr ? (bias->count() == 1 ? 0 : along(d, matmul ? d.rank - 1 : 1, k)) : 0;
    if (bias != nullptr && bias->dtype == DType::i32) whole += bias->as<int32_t>()[channel];
    if (integers && result == DType::i32 && c.scale[0].empty() && c.scale[1].empty() && c.chain.count == 0 &&
        (bias == nullptr || bias->dtype == DType::i32)) {
      set(y.view, k, static_cast<double>(whole));
      continue;
    }
    float v = integers ? static_cast<float>(whole) : sum.as<float>()[k];
    if (!c.scale[0].empty() || !c.scale[1].empty()) {
      const float a = c.scale[0].empty() ? 1.f : factor(c.scale[0], 0, c.q.scale[0], k);
      const float b = c.scale[1].empty() ? 1.f : factor(c.scale[1], 1, c.q.scale[1], k);
      const float both = a * b;
      v = v * both;
    }
    if (bias != nullptr && bias->dtype == DType::f32) v = v + bias->as<float>()[channel];
    size_t next = 0;
    for (const PostOp& p : c.chain) {
      if (!p.takes_tensor()) {
        v = v < 0 ? 0 : v;
        continue;
      }
      const TensorView& t = c.chain_in[next++].view;  // of the result's dims, one per channel, or one
      const auto x = static_cast<float>(element(t, t.count() == 1             ? 0
                                                   : t.count() == sum.count() ? k
                                                                              : along(d, matmul ? d.rank - 1 : 1, k)));
      v = p.binary == BinaryFunction::mul ? v * x : v + x;
    }
    if (result == DType::f32) {
      y.view.as<float>()[k] = v;
      continue;
    }
    if (!c.scale[2].empty()) v = v / factor(c.scale[2], 2, c.q.scale[2], k);
    v = std::nearbyint(v);
    if (!c.zero[2].empty()) v = v + factor(c.zero[2], 2, c.q.zero_point[2], k);
    set(y.view, k, v != v ? 0 : v < low_of(result) ? low_of(result) : v > high_of(result) ? high_of(result) : v);
  }
  return y;
}

inline HostTensor drawn(DType t, const Dims& dims, Random& r) {
  HostTensor y = made(t, dims);
  for (int64_t i = 0; i < y.view.count(); ++i)
    set(y.view, i,
        t == DType::f32   ? r.normal()
        : t == DType::i32 ? static_cast<double>(r.integer(-3000, 3000))
                          : static_cast<double>(r.integer(static_cast<int64_t>(low_of(t)), static_cast<int64_t>(high_of(t)))));
  return y;
}

// Scale or zero point, with the attributes or with the execution; `axis` -1: one for all, as where the axis is empty.
inline void draw_factors(Case* c, int operand, bool is_scale, int axis, int64_t count, DType dtype, Random& r) {
  if (count == 0) axis = -1, count = 1;
  Factors& f = is_scale ? c->q.scale[operand] : c->q.zero_point[operand];
  std::vector<float>& values = is_scale ? c->scale[operand] : c->zero[operand];
  f.from = r.flag() ? From::attribute : From::operand;
  f.axis = axis;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(is_scale ? 0.01f + std::fabs(r.normal()) * (operand == 2 ? 30.f : 0.1f)
                              : static_cast<float>(r.integer(static_cast<int64_t>(low_of(dtype)), static_cast<int64_t>(high_of(dtype)))));
  if (f.from == From::attribute) {
    f.values = values;
    return;
  }
  HostTensor t = made(is_scale ? DType::f32 : dtype, axis < 0 && r.flag() ? Dims{} : Dims{count});
  for (int64_t i = 0; i < count; ++i) set(t.view, i, values[static_cast<size_t>(i)]);
  c->factors.push_back(std::move(t));
}

// `large`: more channels, rows and columns than one tile has.
inline Case draw(Random& r, bool large = false) {
  Case c;
  const int kind = static_cast<int>(r.integer(0, 2));  // matmul, convolution, transposed
  const bool integers = r.chance(0.75);
  const auto dtype = [&] { return integers ? (r.flag() ? DType::i8 : DType::u8) : DType::f32; };
  const DType ta = dtype(), tb = integers ? dtype() : ta;
  Dims da, db, result;
  int row_axis = 0, column_axis = 0;
  if (kind == 0) {
    const bool across = r.flag(), over = r.flag();
    const int64_t m = r.integer(1, large ? 130 : 6), k = r.integer(0, 200), n = r.integer(1, large ? 100 : 6), batch = r.integer(0, 3);
    c.text = formatted("matmul transpose_a={} transpose_b={}", across ? 1 : 0, over ? 1 : 0);
    da = across ? Dims{k, m} : Dims{m, k};
    db = over ? Dims{n, k} : Dims{k, n};
    row_axis = across, column_axis = !over;
    if (batch > 0) {
      da.insert(0, batch);
      ++row_axis;
      if (r.flag()) db.insert(0, 1), ++column_axis;
    }
    result = batch > 0 ? Dims{batch, m, n} : Dims{m, n};
    if (da[row_axis] != m || db[column_axis] != n) ADD_FAILURE() << "axes";
  } else {
    const bool wide = large && kind == 1, depthwise = wide && r.chance(0.5);
    const int64_t group = depthwise ? r.integer(2, 70) : r.integer(1, 2), in = group * (depthwise ? 1 : r.integer(1, large ? 20 : 3)),
                  out = group * (depthwise ? 1 : r.integer(1, large ? 70 : 3));
    const int64_t kernel = r.integer(1, 3), stride = r.integer(1, 2), dilation = r.integer(1, 2);
    // Along lines, too: kernels of few channels are read by lines.
    const int64_t across = wide ? r.integer(1, 5) : 2, step = wide ? r.integer(1, 3) : 1, apart = wide ? r.integer(1, 2) : 1;
    const int64_t height = r.integer(3, 7), width = wide ? r.integer((across - 1) * apart + 1, 40) : r.integer(3, 9);
    const int64_t left = wide ? r.integer(0, 3) : 1, right = wide ? r.integer(0, 3) : 0;
    // Some windows lie in the padding alone.
    const int64_t before = r.integer(0, kind == 1 ? 4 : 0), after = r.integer(0, kind == 1 ? 4 : 0);
    c.text = wide ? formatted("convolution strides={},{} dilations={},{} pads_begin={},{} pads_end={},{} group={}", stride, step, dilation,
                              apart, before, left, after, right, group)
                  : formatted("{} strides={},1 dilations=1,{} pads_begin={},1 pads_end={},0 group={}",
                              kind == 1 ? "convolution" : "conv_transpose", stride, dilation, before, after, group);
    da = {r.integer(1, 2), in, height, width};
    db = kind == 1 ? Dims{out, in / group, kernel, across} : Dims{in, out / group, kernel, 2};
    column_axis = kind == 1 ? 0 : group == 1 ? 1 : -1;
  }
  EXPECT_TRUE(parse_operator(c.text, &c.op).ok()) << c.text;
  c.in.push_back(drawn(ta, da, r));
  c.in.push_back(drawn(tb, db, r));
  if (kind != 0) {
    DimPool pool;
    TensorType real[] = {type_of(c.in[0].view), type_of(c.in[1].view)}, y[1];
    for (TensorType& t : real) t.dtype = DType::f32;
    EXPECT_TRUE(c.op->infer(pool, real, y).ok()) << c.text;
    for (const Dim d : y[0].dims) result.push_back(d.number());
  }
  if (r.flag())
    c.in.push_back(drawn(!integers ? DType::f32 : r.flag() ? DType::i32 : DType::f32, {result[kind == 0 ? result.rank - 1 : 1]}, r));
  c.constant = r.flag();
  // As products of integers that are scaled afterwards: by one number or one per channel, then an addend per channel.
  for (const BinaryFunction f : {BinaryFunction::mul, BinaryFunction::add}) {
    if (!r.chance(0.3)) continue;
    Dims dims{1};
    if (r.flag()) {
      dims = {result[kind == 0 ? result.rank - 1 : 1]};
      for (int i = 2; kind != 0 && i < result.rank; ++i) dims.push_back(1);
    }
    c.chain.append({.kind = PostOp::Kind::binary, .binary = f});
    c.chain_in.push_back(drawn(DType::f32, dims, r));
  }
  if (r.flag()) {
    c.chain.append({.unary = UnaryFunction::relu});
    if (r.flag()) {
      c.chain.append({.kind = PostOp::Kind::binary, .binary = BinaryFunction::add});
      c.chain_in.push_back(drawn(DType::f32, result, r));
    }
  }
  // In the order in which they come with an execution.
  DType to = DType::none;
  if (integers) {
    const bool rows = r.chance(0.3), columns = column_axis >= 0 && r.flag();
    for (const bool is_scale : {true, false})
      if (r.flag()) draw_factors(&c, 0, is_scale, rows ? row_axis : -1, rows ? da[row_axis] : 1, ta, r);
    for (const bool is_scale : {true, false})
      if (r.flag()) draw_factors(&c, 1, is_scale, columns ? column_axis : -1, columns ? db[column_axis] : 1, tb, r);
  }
  constexpr DType kResults[] = {DType::none, DType::f32, DType::i8, DType::u8, DType::i32};
  c.q.result = kResults[r.integer(0, 4)];
  if (is_8_bit(c.q.result)) {
    const int axis = static_cast<int>(r.integer(-1, result.rank - 1));
    for (const bool is_scale : {true, false})
      if (r.flag()) draw_factors(&c, 2, is_scale, axis, axis < 0 ? 1 : result[axis], c.q.result, r);
  }
  const std::vector<TensorType> types = types_of(c.inputs());
  const Status s = c.q.check(*c.op, types, &to);
  EXPECT_TRUE(s.ok()) << c.text << " " << describe(c.q) << ": " << s.message();
  c.text += formatted(" {} | {} | {}", to_string(da), to_string(db), describe(c.q));
  return c;
}

inline std::string bits_of(const HostTensor& t) {
  return {static_cast<const char*>(t.view.data), static_cast<size_t>(t.view.count() * dtype_size(t.view.dtype))};
}

inline DType result_of(const Case& c) {
  DType to = DType::none;
  EXPECT_TRUE(c.q.check(*c.op, types_of(c.inputs()), &to).ok());
  return to;
}

}  // namespace anydim::testing::quantized
