// SPDX-License-Identifier: Apache-2.0
// Primitives with scales, zero points and results of another dtype: the bits of docs/numerics.md on every kernel, from files, on a
// device; what they refuse.
#include "core/ops/quantization.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>

#include "core/base/testing/random.h"
#include "core/dispatch/primitive_cache.h"
#include "core/dispatch/testing/quantized.h"
#include "core/dispatch/weights_file.h"
#include "core/engines/cpu/engine.h"
#include "core/engines/testing/engine.h"
#include "core/kernels/testing/emulated_instructions.h"
#include "core/kernels/x86.h"
#include "core/ops/conv_transpose.h"

namespace anydim {
namespace {

// For the test core_dispatch_emulated: before anything asks for kernels.
[[maybe_unused]] const bool emulates = [] {
  if constexpr (kX86) return testing::emulate_if_asked();
  return false;
}();

using namespace testing::quantized;
using testing::Random;

TEST(Quantized, PrimitivesComputeWhatThePageSaysToTheBit) {
  Random r(1);
  for (int i = 0; i < 3000 && !::testing::Test::HasFailure(); ++i) {
    const Case c = draw(r);
    const HostTensor got = run(c), want = expected(c, result_of(c));
    ASSERT_EQ(got.view.dtype, want.view.dtype) << c.text;
    ASSERT_EQ(got.view.dims, want.view.dims) << c.text;
    ASSERT_EQ(bits_of(got), bits_of(want)) << c.text;
  }
}

TEST(Quantized, EveryKernelHasTheBitsOfTheReference) {
  Random r(5);
  std::map<std::string, int> compared;
  for (int i = 0; i < 900 && !::testing::Test::HasFailure(); ++i) {
    const Case c = draw(r, r.flag());
    PrimitivePtr p;
    ASSERT_TRUE(make(c, cpu_engine(), &p).ok()) << c.text;
    const std::string reference = std::string(c.op->kind() == OpKind::matmul        ? "gemm"
                                              : c.op->kind() == OpKind::convolution ? "conv"
                                                                                    : "conv_transpose") +
                                  ".quantized.reference";
    const HostTensor want = run(c, {}, reference);
    for (const Candidate& candidate : p->candidates()) {
      const std::string name = candidate.kernel->name();
      if (!candidate.able || name == reference) continue;
      ++compared[name];
      ASSERT_EQ(bits_of(run(c, {}, name, static_cast<int>(r.integer(1, 3)))), bits_of(want)) << name << ": " << c.text;
    }
  }
  for (const char* name : {"gemm.integers.portable", "conv.integers.portable", "conv_transpose.integers.portable"})
    EXPECT_GT(compared[name], 30) << name;
  EXPECT_GT(compared["depthwise.integers.portable"], 0);
  if (cpu().usable.includes(Isa::avx2_vnni)) {
    for (const char* name : {"gemm.integers.avx2_vnni", "conv.integers.avx2_vnni"}) EXPECT_GT(compared[name], 30) << name;
  }
  if (cpu().usable.includes(Isa::amx)) {
    for (const char* name : {"gemm.integers.amx", "conv.integers.amx"}) EXPECT_GT(compared[name], 30) << name;
  }
}

// The same elements of four axes, channels side by side.
HostTensor channels_last_copy(const TensorView& t) {
  HostTensor y = made(t.dtype, t.dims);
  y.view.strides = {t.dims[1] * t.dims[2] * t.dims[3], 1, t.dims[1] * t.dims[3], t.dims[1]};
  const auto bytes = static_cast<size_t>(dtype_size(t.dtype));
  int64_t i = 0;
  for (int64_t n = 0; n < t.dims[0]; ++n)
    for (int64_t c = 0; c < t.dims[1]; ++c)
      for (int64_t h = 0; h < t.dims[2]; ++h)
        for (int64_t w = 0; w < t.dims[3]; ++w, ++i) {
          const int64_t at = n * y.view.strides[0] + c + h * y.view.strides[2] + w * y.view.strides[3];
          std::memcpy(static_cast<std::byte*>(y.view.data) + static_cast<size_t>(at) * bytes,
                      static_cast<const std::byte*>(t.data) + static_cast<size_t>(i) * bytes, bytes);
        }
  return y;
}

// A convolution of channels that lie side by side, held against the reference by every kernel that takes it. How often each did.
void compare_channels_last(const Case& c, Random& r, std::map<std::string, int>* compared) {
  PrimitivePtr all;
  ASSERT_TRUE(make(c, cpu_engine(), &all).ok()) << c.text;
  const std::string reference = c.op->kind() == OpKind::convolution ? "conv.quantized.reference" : "conv_transpose.quantized.reference";
  const HostTensor want = run(c, {}, reference), x = channels_last_copy(c.in[0].view);
  const HostTensor turned = channels_last_copy(want.view);
  // Weights of the call come in either order.
  std::vector<HostTensor> others;
  for (size_t i = 1; i < c.in.size() && !c.constant; ++i) others.push_back(i == 1 && r.flag() ? channels_last_copy(c.in[i].view) : c.in[i]);
  std::vector<TensorView> in{x.view};
  for (const HostTensor& t : others) in.push_back(t.view);
  for (const Candidate& candidate : all->candidates()) {
    const std::string name = candidate.kernel->name();
    if (!candidate.able || name == reference) continue;
    ++(*compared)[name];
    PrimitivePtr p;
    ASSERT_TRUE(make(c, cpu_engine(), &p, {}, name).ok()) << c.text;
    HostTensor y = made(want.view.dtype, want.view.dims);
    y.view.strides = turned.view.strides;
    const std::vector<TensorView> post = c.post_inputs();
    const int threads = static_cast<int>(r.integer(1, 3));
    int64_t bytes = 0;
    ASSERT_TRUE(p->scratch_bytes(in, {&y.view, 1}, post, threads, &bytes).ok());
    auto scratch = AlignedBuffer::allocate(bytes);
    ASSERT_TRUE(scratch.ok());
    ASSERT_TRUE(p->execute(in, post, {&y.view, 1}, scratch->data(), bytes, Parallel(threads)).ok()) << c.text;
    ASSERT_EQ(std::memcmp(y.view.data, turned.view.data, static_cast<size_t>(y.view.count() * dtype_size(y.view.dtype))), 0)
        << name << ": " << c.text << " of " << to_string(x.view.dims) << ", " << describe(c.q);
  }
}

// Factors, a bias, a step behind the sums and the dtype of the result of a convolution whose operator and dims are drawn.
void draw_rest(Case* c, const Dims& in, const Dims& weights, Random& r) {
  ASSERT_TRUE(parse_operator(c->text, &c->op).ok()) << c->text;
  c->in.push_back(drawn(r.chance(0.7) ? DType::u8 : DType::i8, in, r));
  const DType type = r.chance(0.6) ? DType::i8 : DType::u8;
  const auto* transposed = as<ConvTranspose>(*c->op);
  const int64_t group = transposed != nullptr ? transposed->get().group : 1;
  const int channels_at = transposed != nullptr ? 1 : 0, right_axis = group == 1 ? channels_at : -1;
  const int64_t channels = weights[channels_at] * group;
  c->in.push_back(drawn(type, weights, r));
  if (r.flag()) c->in.push_back(drawn(r.flag() ? DType::i32 : DType::f32, {channels}, r));
  c->constant = transposed != nullptr || r.chance(0.85);
  const bool of_items = transposed == nullptr && r.chance(0.1);
  for (const bool is_scale : {true, false}) draw_factors(c, 0, is_scale, of_items ? 0 : -1, of_items ? in[0] : 1, c->in[0].view.dtype, r);
  draw_factors(c, 1, true, right_axis, right_axis < 0 ? 1 : channels, type, r);
  const bool zero_axis = r.flag() && right_axis >= 0;
  if (r.flag()) draw_factors(c, 1, false, zero_axis ? right_axis : -1, zero_axis ? channels : 1, type, r);
  if (r.chance(0.3)) c->chain.append({.unary = r.flag() ? UnaryFunction::relu : UnaryFunction::hard_swish});
  const DType results[] = {DType::u8, DType::i8, DType::f32};
  c->q.result = results[r.integer(0, 2)];
  if (c->q.result == DType::f32) {
    if (c->chain.count > 0 || r.flag()) return;
    // A tensor of the result's dims is added.
    DimPool pool;
    TensorType real[] = {type_of(c->in[0].view), type_of(c->in[1].view)}, y[1];
    for (TensorType& t : real) t.dtype = DType::f32;
    ASSERT_TRUE(c->op->infer(pool, real, y).ok()) << c->text;
    Dims dims;
    for (const Dim d : y[0].dims) dims.push_back(d.number());
    c->chain.append({.kind = PostOp::Kind::binary, .binary = BinaryFunction::add});
    const HostTensor planes = drawn(DType::f32, dims, r);
    c->chain_in.push_back(dims.rank == 4 && r.chance(0.8) ? channels_last_copy(planes.view) : drawn(DType::f32, dims, r));
    return;
  }
  const bool axis = r.chance(0.2);
  draw_factors(c, 2, true, axis ? 1 : -1, axis ? channels : 1, c->q.result, r);
  draw_factors(c, 2, false, -1, 1, c->q.result, r);
}

// Lines of many channels, which are converted block by block, and bands of rows.
TEST(Quantized, DepthwiseLinesOfAnySizeHaveTheReferencesBits) {
  Random r(31);
  std::map<std::string, int> compared;
  for (int i = 0; i < 60 && !::testing::Test::HasFailure(); ++i) {
    Case c;
    const int64_t channels = r.integer(2, r.flag() ? 300 : 70), kernel = r.integer(1, 5), across = r.integer(1, 9);
    const int64_t strides[] = {1, 1, 2, 4};
    c.text = formatted("convolution strides={},{} dilations={},{} pads_begin={},{} pads_end={},{} group={}", r.integer(1, 3),
                       r.chance(0.9) ? strides[r.integer(0, 3)] : 3, r.integer(1, 2), r.chance(0.7) ? 1 : r.integer(1, 3), r.integer(0, 3),
                       r.integer(0, 3), r.integer(0, 3), r.integer(0, 3), channels);
    ASSERT_NO_FATAL_FAILURE(
        draw_rest(&c, {r.integer(1, 2), channels, r.integer(9, 14), r.integer(25, r.flag() ? 150 : 40)}, {channels, 1, kernel, across}, r));
    ASSERT_NO_FATAL_FAILURE(compare_channels_last(c, r, &compared));
  }
  EXPECT_GT(compared["depthwise.integers.portable"], 20);
  if (cpu().usable.includes(Isa::avx2)) {
    EXPECT_GT(compared["depthwise.integers.lines.avx2"], 8);
  }
  if (cpu().usable.includes(Isa::avx512_vnni)) {
    EXPECT_GT(compared["depthwise.integers.lines.avx512_vnni"], 15);
  }
}

// Rows that are read where they are, in pieces of a line of taps or of one tap, and those that are gathered.
TEST(Quantized, ConvolutionsOfChannelsSideBySideHaveTheReferencesBits) {
  Random r(32);
  std::map<std::string, int> compared;
  for (int i = 0; i < 60 && !::testing::Test::HasFailure(); ++i) {
    Case c;
    const int64_t groups = r.chance(0.8) ? 1 : 2, channels = r.chance(0.7) ? 4 * r.integer(2, 12) : r.integer(5, 20);
    const int64_t columns = groups * r.integer(1, r.flag() ? 100 : 20);
    c.text =
        formatted("convolution strides={},{} dilations={},{} pads_begin={},{} pads_end={},{} group={}", r.integer(1, 2), r.integer(1, 2),
                  r.integer(1, 2), r.chance(0.7) ? 1 : 2, r.integer(0, 2), r.integer(0, 2), r.integer(0, 2), r.integer(0, 2), groups);
    ASSERT_NO_FATAL_FAILURE(draw_rest(&c, {r.integer(1, 2), groups * channels, r.integer(5, 9), r.integer(5, r.flag() ? 40 : 9)},
                                      {columns, channels, r.integer(1, 3), r.integer(1, 3)}, r));
    ASSERT_NO_FATAL_FAILURE(compare_channels_last(c, r, &compared));
  }
  EXPECT_GT(compared["conv.integers.portable"], 30);
}

// Scales that come with a call may be any float. Rows of several tiles and none, batches, results with scales along any axis.
TEST(Quantized, RowsOfAnyFactorsHaveTheReferencesBits) {
  Random r(34);
  std::map<std::string, int> compared;
  const float odd[] = {0.f, -0.f, INFINITY, -INFINITY, NAN, 0x1p99f, 0x1p-140f, -1.f, 1e-30f};
  for (int i = 0; i < 120 && !::testing::Test::HasFailure(); ++i) {
    Case c = draw(r, true);
    if (c.op->kind() != OpKind::matmul || !is_8_bit(c.in[0].view.dtype)) continue;
    size_t next = 0;
    for (int o = 0; o < Quantization::kOperands; ++o)
      for (const bool is_scale : {true, false}) {
        if ((is_scale ? c.q.scale[o] : c.q.zero_point[o]).from != From::operand) continue;
        const TensorView& t = c.factors[next++].view;
        for (int64_t k = 0; k < t.count(); ++k)
          if (r.chance(0.2)) set(t, k, is_scale ? odd[r.integer(0, std::size(odd) - 1)] : r.flag() ? low_of(t.dtype) : high_of(t.dtype));
      }
    PrimitivePtr p;
    ASSERT_TRUE(make(c, cpu_engine(), &p).ok()) << c.text;
    const HostTensor want = run(c, {}, "gemm.quantized.reference");
    // Which NaN a product of two gives is not said.
    const auto plain = [](const HostTensor& t) {
      for (int64_t k = 0; k < t.view.count() && t.view.dtype == DType::f32; ++k)
        if (std::isnan(t.view.as<float>()[k])) t.view.as<float>()[k] = NAN;
      return bits_of(t);
    };
    for (const Candidate& candidate : p->candidates()) {
      const std::string name = candidate.kernel->name();
      if (!candidate.able || name == "gemm.quantized.reference") continue;
      ++compared[name];
      ASSERT_EQ(plain(run(c, {}, name, static_cast<int>(r.integer(1, 3)))), plain(want)) << name << ": " << c.text;
    }
  }
  EXPECT_GT(compared["gemm.integers.portable"], 10);
}

// By phases, and as patches of few channels; a stride of more phases than are packed has the reference alone.
TEST(Quantized, TransposedConvolutionsHaveTheReferencesBits) {
  Random r(34);
  std::map<std::string, int> compared;
  for (int i = 0; i < 80 && !::testing::Test::HasFailure(); ++i) {
    Case c;
    const bool tiles = r.flag();
    const int64_t groups = r.chance(0.8) ? 1 : 2, channels = r.chance(0.7) ? 4 * r.integer(1, 12) : r.integer(1, 20);
    const int64_t columns = r.integer(1, r.flag() ? 70 : 16), high = r.integer(1, 3), wide = r.integer(1, 4);
    if (tiles) {
      c.text = formatted("conv_transpose strides={},{} dilations=1,1 pads_begin=0,0 pads_end=0,0 group={}", high, wide, groups);
    } else {
      const int64_t sy = r.integer(1, 4), sx = r.chance(0.1) ? 20 : r.integer(1, 3), dy = r.integer(1, 3), dx = r.integer(1, 2);
      c.text = formatted("conv_transpose strides={},{} dilations={},{} group={}", sy, sx, dy, dx, groups);
      if (r.chance(0.2)) c.text += formatted(" output_shape={},{}", r.integer(1, 20), r.integer(1, 30));
      else if (r.chance(0.2)) c.text += r.flag() ? " auto_pad=same_upper" : " auto_pad=same_lower";
      else
        c.text += formatted(" pads_begin={},{} pads_end={},{} output_padding={},{}", r.integer(0, 3), r.integer(0, 2), r.integer(0, 3),
                            r.integer(0, 2), r.integer(0, std::max(sy, dy) - 1), r.integer(0, std::max(sx, dx) - 1));
    }
    ASSERT_NO_FATAL_FAILURE(draw_rest(&c, {r.integer(1, 2), groups * channels, r.integer(1, 9), r.integer(1, r.flag() ? 40 : 9)},
                                      {groups * channels, columns, tiles ? high : r.integer(1, 5), tiles ? wide : r.integer(1, 5)}, r));
    if (r.chance(0.3)) {  // an operand of the result's dims
      DimPool pool;
      TensorType real[] = {type_of(c.in[0].view), type_of(c.in[1].view)}, y[1];
      for (TensorType& t : real) t.dtype = DType::f32;
      ASSERT_TRUE(c.op->infer(pool, real, y).ok()) << c.text;
      Dims result;
      for (const Dim d : y[0].dims) result.push_back(d.number());
      c.chain.append({.kind = PostOp::Kind::binary, .binary = BinaryFunction::add});
      c.chain_in.push_back(drawn(DType::f32, result, r));
    }
    ASSERT_NO_FATAL_FAILURE(compare_channels_last(c, r, &compared));
  }
  EXPECT_GT(compared["conv_transpose.integers.portable"], 40);
}

// Along one axis and along three, in the order in which tensors are given.
TEST(Quantized, TransposedConvolutionsOfAnyRankHaveTheReferencesBits) {
  Random r(35);
  int compared = 0;
  for (int i = 0; i < 60 && !::testing::Test::HasFailure(); ++i) {
    Case c;
    const int spatial = r.flag() ? 1 : 3;
    const bool tiles = r.flag();
    const int64_t groups = r.chance(0.8) ? 1 : 2, channels = r.integer(1, 12), columns = r.integer(1, 20);
    std::string strides, pads;
    Dims in{r.integer(1, 2), groups * channels}, weights{groups * channels, columns};
    for (int a = 0; a < spatial; ++a) {
      const int64_t stride = r.integer(1, 3);
      strides += formatted("{}{}", a > 0 ? "," : "", stride);
      pads += formatted("{}{}", a > 0 ? "," : "", tiles ? 0 : r.integer(0, 2));
      in.push_back(r.integer(1, 5));
      weights.push_back(tiles ? stride : r.integer(1, 4));
    }
    c.text = formatted("conv_transpose strides={} pads_begin={} group={}", strides, pads, groups);
    ASSERT_NO_FATAL_FAILURE(draw_rest(&c, in, weights, r));
    PrimitivePtr p;
    ASSERT_TRUE(make(c, cpu_engine(), &p).ok()) << c.text;
    const HostTensor want = run(c, {}, "conv_transpose.quantized.reference");
    for (const Candidate& candidate : p->candidates()) {
      if (!candidate.able) continue;
      ++compared;
      ASSERT_EQ(bits_of(run(c, {}, candidate.kernel->name(), static_cast<int>(r.integer(1, 3)))), bits_of(want))
          << candidate.kernel->name() << ": " << c.text << " of " << to_string(in) << " and " << to_string(weights) << ", " << describe(c.q);
    }
  }
  EXPECT_GT(compared, 100);
}

// Quotients in the middle of two numbers, and next to it: kernels that multiply by 1 / scale have to look.
TEST(Quantized, QuotientsNearTheMiddleOfTwoNumbersHaveTheReferencesBits) {
  Random r(33);
  std::map<std::string, int> compared;
  for (int i = 0; i < 60 && !::testing::Test::HasFailure(); ++i) {
    Case c;
    const bool depthwise = r.flag();
    const int64_t channels = depthwise ? r.integer(2, 80) : 4 * r.integer(1, 4), columns = depthwise ? channels : r.integer(1, 70);
    c.text = formatted("convolution strides=1,1 dilations=1,1 pads_begin=0,0 pads_end=0,0 group={}", depthwise ? channels : 1);
    ASSERT_NO_FATAL_FAILURE(draw_rest(&c, {1, channels, r.integer(3, 9), r.integer(3, 30)},
                                      {columns, depthwise ? 1 : channels, r.integer(1, 2), r.integer(1, 2)}, r));
    if (!is_8_bit(c.q.result)) continue;
    for (int o = 0; o < Quantization::kOperands; ++o)  // all constant
      for (const bool is_scale : {true, false}) {
        Quantization::Factors& f = is_scale ? c.q.scale[o] : c.q.zero_point[o];
        if (f.present()) f.from = From::attribute, f.values = is_scale ? c.scale[o] : c.zero[o];
      }
    c.factors.clear();
    // (scale of the input * scale of the weights) / (scale of the result) is n / 2^m, or as much as three units beside it.
    Quantization::Factors &a = c.q.scale[0], &w = c.q.scale[1], &y = c.q.scale[2];
    for (float& x : a.values) x = 1.f;
    for (float& x : y.values) x = std::ldexp(static_cast<float>(r.integer(1, 1000)), static_cast<int>(r.integer(-3, 3)));
    const int64_t n = r.integer(1, 7), m = r.integer(1, 12);
    for (size_t at = 0; at < w.values.size(); ++at) {
      float x = std::ldexp(static_cast<float>(n), static_cast<int>(-m)) * y.values[y.values.size() == 1 ? 0 : at];
      for (int64_t units = r.integer(-3, 3); units != 0; units -= units > 0 ? 1 : -1) x = std::nextafter(x, units > 0 ? INFINITY : 0.f);
      w.values[at] = x;
    }
    ASSERT_NO_FATAL_FAILURE(compare_channels_last(c, r, &compared));
  }
  EXPECT_GT(compared["conv.integers.portable"] + compared["depthwise.integers.portable"], 10);
}

// Sums as large as the numbers allow, and quotients about as large as kernels multiply instead of divide: none leaves 32 bits.
TEST(Quantized, LargestSumsHaveTheReferencesBits) {
  Random r(36);
  std::map<std::string, int> compared;
  for (int i = 0; i < 90 && !::testing::Test::HasFailure(); ++i) {
    Case c;
    const int kind = static_cast<int>(r.integer(0, 2));  // convolution, transposed, depthwise
    const int64_t channels = 4 * r.integer(1, 6), columns = kind == 2 ? channels : r.integer(1, 40), tap = r.integer(1, 3);
    c.text = formatted("{} strides={},{} group={}", kind == 1 ? "conv_transpose" : "convolution", kind == 1 ? tap : 1, kind == 1 ? tap : 1,
                       kind == 2 ? channels : 1);
    ASSERT_TRUE(parse_operator(c.text, &c.op).ok()) << c.text;
    c.constant = true;
    const DType left = r.flag() ? DType::u8 : DType::i8, right = r.flag() ? DType::u8 : DType::i8, to = r.flag() ? DType::u8 : DType::i8;
    c.in = {made(left, {1, channels, r.integer(3, 8), r.integer(3, 20)}),
            made(right, kind == 1   ? Dims{channels, columns, tap, tap}
                        : kind == 2 ? Dims{channels, 1, tap, tap}
                                    : Dims{columns, channels, tap, tap})};
    const auto end_of = [&](DType t) { return r.flag() ? low_of(t) : high_of(t); };
    const double a = end_of(left);
    for (int64_t k = 0; k < c.in[0].view.count(); ++k) set(c.in[0].view, k, r.chance(0.9) ? a : end_of(left));
    for (int64_t k = 0; k < c.in[1].view.count(); ++k)
      set(c.in[1].view, k, along(c.in[1].view.dims, kind == 1 ? 1 : 0, k) % 2 == 0 ? low_of(right) : high_of(right));
    if (r.flag()) {
      c.in.push_back(made(DType::i32, {columns}));
      const double most = r.flag() ? 2e6 : 2e9;
      for (int64_t k = 0; k < columns; ++k) set(c.in[2].view, k, r.flag() ? most : -most);
    }
    const auto zero = [&](int o, DType t) {
      c.zero[o] = {static_cast<float>(r.chance(0.6) ? end_of(t) : static_cast<double>(r.integer(0, 127)))};
      c.q.zero_point[o] = {From::attribute, -1, c.zero[o]};
    };
    if (r.flag()) zero(0, left);
    if (r.flag()) zero(1, right);
    if (r.flag()) zero(2, to);
    c.q.result = to;
    const double most = static_cast<double>(kind == 2 ? tap * tap : kind == 1 ? channels : channels * tap * tap) * 128 * (r.flag() ? 255 : 128);
    const float scale[] = {1.f, 1.f, static_cast<float>(std::ldexp(most, static_cast<int>(r.integer(-18, -14))))};
    for (int o = 0; o < 3; ++o) c.scale[o] = {scale[o]}, c.q.scale[o] = {From::attribute, -1, {scale[o]}};
    ASSERT_NO_FATAL_FAILURE(compare_channels_last(c, r, &compared));
  }
  EXPECT_GT(compared["conv.integers.portable"], 10);
  EXPECT_GT(compared["conv_transpose.integers.portable"], 10);
}

// Scales and zero points, per tensor or axis, as attributes or with the calls, are said of the primitives: a file has constants alone.
TEST(Quantized, WeightsMappedFromAFileGiveTheSameBits) {
  std::string folder = (std::filesystem::temp_directory_path() / "anydim-quantized-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::string file = folder + "/w";
  Random r(3);
  int mapped = 0;
  for (int i = 0; i < 400 && !::testing::Test::HasFailure(); ++i) {
    Case c = draw(r);
    c.constant = true;
    if (c.in[1].view.count() == 0) continue;  // weights without elements are not saved
    ++mapped;
    ASSERT_EQ(bits_of(run(c, file)), bits_of(run(c))) << c.text;
  }
  EXPECT_GT(mapped, 300);

  Case c;
  ASSERT_TRUE(parse_operator("matmul", &c.op).ok());
  c.in = {drawn(DType::f32, {40, 64}, r), drawn(DType::f32, {64, 48}, r)};
  WeightsPtr weights;
  ASSERT_TRUE(Weights::create(cpu_engine(), c.op, by_operand({&c.in[1].view, 1}), {}, &weights).ok());
  ASSERT_FALSE(weights->format().empty());
  ASSERT_TRUE(save_weights(*weights, file).ok());
  c.q.result = DType::i8;
  WeightsUse use;
  use.quantization = &c.q;
  const Status other = load_weights(cpu_engine(), c.op, use, file, &weights);
  EXPECT_EQ(other.code(), Code::unimplemented) << other.message();
  EXPECT_NE(other.message().find("reads '(not packed)': pack them again"), std::string::npos) << other.message();
  std::filesystem::remove_all(folder);
}

TEST(Quantized, SumsOfEightBitsAreExactWhereFloatsAreNot) {
  // 2^25 and one more, and a sum that wraps.
  for (const int64_t k : {int64_t{520}, int64_t{33025}, int64_t{40000}}) {
    Case c;
    c.op = OperatorPtr();
    ASSERT_TRUE(parse_operator("matmul", &c.op).ok());
    c.in = {made(DType::u8, {1, k}), made(DType::u8, {k, 1})};
    for (int64_t i = 0; i < k; ++i) set(c.in[0].view, i, 255), set(c.in[1].view, i, i == 0 ? 254 : 255);
    c.q.result = DType::i32;
    const int64_t sum = 65025 * k - 255;
    EXPECT_EQ(run(c).view.as<int32_t>()[0], static_cast<int32_t>(static_cast<uint32_t>(sum)));
    if (sum > INT32_MAX) continue;
    c.q.result = DType::f32;
    EXPECT_EQ(run(c).view.as<float>()[0], static_cast<float>(sum)) << "rounded once";
  }
}

TEST(Quantized, StoresSaturateRoundToEvenAndGiveZeroForNaN) {
  Case c;
  ASSERT_TRUE(parse_operator("matmul", &c.op).ok());
  const float inf = INFINITY, nan = NAN;
  const float values[] = {0.5f,    1.5f, 2.5f, -0.5f, -1.5f, 126.5f, 127.5f, 300.f, -128.5f,
                          -129.5f, inf,  -inf, nan,   1e30f, -1e30f, 0.25f,  -0.f};
  const int64_t count = std::size(values);
  c.in = {made(DType::f32, {count, 1}), made(DType::f32, {1, 1})};
  for (int64_t i = 0; i < count; ++i) set(c.in[0].view, i, 0), c.in[0].view.as<float>()[i] = values[i];
  set(c.in[1].view, 0, 1);
  const auto stored = [&](DType to, std::vector<float> zero, std::vector<float> scale) {
    c.q = {};
    c.q.result = to;
    if (!zero.empty()) c.q.zero_point[2] = {From::attribute, -1, zero};
    if (!scale.empty()) c.q.scale[2] = {From::attribute, -1, scale};
    const HostTensor y = run(c);
    std::vector<int> all;
    for (int64_t i = 0; i < count; ++i) all.push_back(static_cast<int>(element(y.view, i)));
    return all;
  };
  EXPECT_EQ(stored(DType::i8, {}, {}), (std::vector<int>{0, 2, 2, 0, -2, 126, 127, 127, -128, -128, 127, -128, 0, 127, -128, 0, 0}));
  EXPECT_EQ(stored(DType::u8, {}, {}), (std::vector<int>{0, 2, 2, 0, 0, 126, 128, 255, 0, 0, 255, 0, 0, 255, 0, 0, 0}));
  EXPECT_EQ(stored(DType::u8, {128}, {}), (std::vector<int>{128, 130, 130, 128, 126, 254, 255, 255, 0, 0, 255, 0, 0, 255, 0, 128, 128}));
  EXPECT_EQ(stored(DType::i8, {-3}, {0.5f}),
            (std::vector<int>{-2, 0, 2, -4, -6, 127, 127, 127, -128, -128, 127, -128, 0, 127, -128, -3, -3}));
  const std::vector<int> wide = stored(DType::i32, {}, {});
  EXPECT_EQ(wide[10], INT32_MAX);
  EXPECT_EQ(wide[11], INT32_MIN);
  EXPECT_EQ(wide[12], 0);
  EXPECT_EQ(wide[13], INT32_MAX);
  EXPECT_EQ(wide[14], INT32_MIN);
}

TEST(Quantized, ResultsOfSixteenBitsAreRoundedOnce) {
  Case c;
  ASSERT_TRUE(parse_operator("matmul", &c.op).ok());
  c.in = {made(DType::f32, {1, 1}), made(DType::f32, {1, 1})};
  c.in[0].view.as<float>()[0] = 1.f + 0x1p-11f + 0x1p-20f;  // above the middle of two numbers of f16
  c.in[1].view.as<float>()[0] = 1.f;
  c.q.result = DType::f16;
  EXPECT_EQ(run(c).view.as<uint16_t>()[0], 0x3C01);
  c.q.result = DType::bf16;
  EXPECT_EQ(run(c).view.as<uint16_t>()[0], 0x3F80);
}

TEST(Quantized, ADeviceGivesTheSameBits) {
  const EnginePtr device = testing::TestEngine::create();
  Random r(2);
  for (int i = 0; i < 100 && !::testing::Test::HasFailure(); ++i) {
    const Case c = draw(r);
    PrimitivePtr p;
    Status s = make(c, device, &p);
    ASSERT_TRUE(s.ok()) << c.text << ": " << s.message();
    StreamPtr stream;
    ASSERT_TRUE(device->create_stream(1, &stream).ok());
    std::vector<MemoryPtr> memories;
    const auto place = [&](const TensorView& t, bool upload) -> PlacedTensor {
      MemoryPtr memory;
      const int64_t bytes = t.count() * dtype_size(t.dtype);
      EXPECT_TRUE(device->allocate(bytes, &memory).ok());
      HostMemory host(t.data, bytes);
      if (upload) {
        EXPECT_TRUE(stream->copy({memory.get(), 0}, {&host, 0}, bytes).ok() && stream->wait().ok());
      }
      memories.push_back(memory);
      TensorView view = t;
      view.data = nullptr;
      return {view, {memory.get(), 0}};
    };
    std::vector<PlacedTensor> in, post;
    std::vector<TensorView> views = c.inputs();
    if (c.constant) views.resize(1);
    for (const TensorView& t : views) in.push_back(place(t, true));
    for (const TensorView& t : c.post_inputs()) post.push_back(place(t, true));
    const HostTensor want = run(c);
    HostTensor got = made(want.view.dtype, want.view.dims);
    const PlacedTensor out = place(got.view, false);
    s = p->submit(*stream, in, post, {&out, 1}, {}, 0);
    ASSERT_TRUE(s.ok()) << c.text << ": " << s.message();
    const int64_t bytes = got.view.count() * dtype_size(got.view.dtype);
    HostMemory host(got.view.data, bytes);
    ASSERT_TRUE(stream->copy({&host, 0}, out.place, bytes).ok() && stream->wait().ok());
    ASSERT_EQ(bits_of(got), bits_of(want)) << c.text;
  }
}

TEST(Quantized, ExecutionsHoldScalesAgainstTheirAxes) {
  Case c;
  ASSERT_TRUE(parse_operator("matmul", &c.op).ok());
  c.in = {made(DType::u8, {2, 3}), made(DType::i8, {3, 4})};
  for (HostTensor& t : c.in) std::memset(t.view.data, 1, static_cast<size_t>(t.view.count()));
  c.q.scale[1] = {From::operand, 1, {}};
  c.q.zero_point[0] = {From::operand, -1, {}};
  PrimitivePtr p;
  ASSERT_TRUE(make(c, cpu_engine(), &p).ok());
  HostTensor y = made(DType::f32, {2, 4});
  const std::vector<TensorView> in = c.inputs();
  const auto status = [&](std::vector<HostTensor> factors) {
    std::vector<TensorView> views;
    for (const HostTensor& t : factors) views.push_back(t.view);
    auto scratch = AlignedBuffer::allocate(1 << 20);
    EXPECT_TRUE(scratch.ok());
    return p->execute(in, views, {&y.view, 1}, scratch->data(), 1 << 20, Parallel(1));
  };
  const auto refused = [&](std::vector<HostTensor> factors, const char* why) {
    const Status s = status(std::move(factors));
    EXPECT_EQ(s.code(), Code::invalid_argument);
    EXPECT_NE(s.message().find(why), std::string::npos) << s.message();
  };
  Random r(3);
  const HostTensor zero = drawn(DType::u8, {1}, r);
  EXPECT_TRUE(status({zero, drawn(DType::f32, {4}, r)}).ok());
  EXPECT_TRUE(status({drawn(DType::u8, {}, r), drawn(DType::f32, {4}, r)}).ok());
  refused({zero, drawn(DType::f32, {3}, r)}, "the scale of input 1 has dims 3; expected [4], as long as its axis 1");
  refused({zero, drawn(DType::f32, {1, 4}, r)}, "expected [4]");
  refused({drawn(DType::u8, {2}, r), drawn(DType::f32, {4}, r)}, "the zero point of input 0 has dims 2; expected [1] or a scalar");
  refused({drawn(DType::i8, {1}, r), drawn(DType::f32, {4}, r)}, "dtype i8");
  refused({zero}, "1 post-op tensors");
  refused({}, "0 post-op tensors");

  c.q.scale[1] = {From::attribute, 1, {1, 2, 3}};
  ASSERT_TRUE(make(c, cpu_engine(), &p).ok()) << "an axis may be found out later";
  refused({zero}, "input 1 has 3 scales; axis 1 of it is 4 long");
}

TEST(Quantized, KernelsWithoutScalesAreRefusedAndSayWhy) {
  Case c;
  ASSERT_TRUE(parse_operator("matmul", &c.op).ok());
  c.in = {made(DType::f32, {2, 3}), made(DType::f32, {3, 4})};
  c.q.result = DType::i8;
  PrimitivePtr p;
  ASSERT_TRUE(make(c, cpu_engine(), &p).ok());
  EXPECT_EQ(std::string(p->kernel().name()), "gemm.quantized.reference");
  EXPECT_FALSE(p->kernel().key().isa == Isa::avx2);
  int refused = 0;
  for (const Candidate& candidate : p->candidates())
    refused += candidate.because != nullptr && std::string(candidate.because) == "it takes no scales, zero points or dtype of the result";
  EXPECT_GE(refused, 1);
  // And the other way round.
  PrimitiveAttributes plain;
  plain.kernel = "gemm.quantized.reference";
  const std::vector<TensorType> in = types_of(c.inputs());
  EXPECT_EQ(Primitive::create(cpu_engine(), c.op, {nullptr, in, {}}, plain, nullptr, &p).code(), Code::unimplemented);
}

TEST(Quantized, PrimitivesOfOtherScalesAreOthersInTheCacheAndEqualOnesOne) {
  PrimitiveCache cache(1 << 20);
  OperatorPtr op;
  ASSERT_TRUE(parse_operator("matmul", &op).ok());
  TensorDescriptor a{DType::u8, {}};
  for (const int64_t d : {5, 5}) a.dims.push_back({d, {}});
  const TensorDescriptor* const in[] = {&a, &a};
  for (const char* words :
       {"q0=0.5/-", "q0=0.25/-", "q0=t/-", "q1=0.5/-", "q0=-/1", "q0=0.5/1", "result=i8 q0=0.5/-", "q0=0.5/-", "q0=t/-"}) {
    Quantization q;
    ASSERT_TRUE(parse_quantization(words, &q).ok());
    PrimitiveAttributes attributes;
    attributes.quantization = std::make_shared<const Quantization>(q);
    PrimitivePtr p;
    Creation how;
    const Status s = cache.create(cpu_engine(), op, in, attributes, nullptr, &p, &how);
    ASSERT_TRUE(s.ok()) << s.message();
    EXPECT_EQ(*p->attributes().quantization, q);
  }
  EXPECT_EQ(cache.figures().entries, 7);
  EXPECT_EQ(cache.figures().hits, 2);
}

}  // namespace
}  // namespace anydim
