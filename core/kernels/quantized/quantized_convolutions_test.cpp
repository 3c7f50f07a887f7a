// SPDX-License-Identifier: Apache-2.0
// Convolutions, transposed and depthwise ones of quantized values whose channels lie side by side: every kernel has the bits of the
// reference, at the ends of what sums and quotients can be, too. quantization_test.cpp has the other primitives.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>

#include "core/base/testing/random.h"
#include "core/dispatch/testing/quantized.h"
#include "core/engines/cpu/engine.h"
#include "core/ops/operators/conv_transpose.h"

namespace anydim {
namespace {
using namespace testing::quantized;
using testing::Random;

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
    if (emulates && name == "conv.integers.avx2_vnni" && c.in[1].view.dims[1] == 1) continue;  // an instruction for two numbers
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
  c->constant = r.chance(0.85);
  const bool of_items = r.chance(0.1);
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
  // Emulated instructions are slow: a few such draws are enough.
  const auto enough = [&] { return emulates && compared["depthwise.integers.lines.avx2_vnni"] >= 3; };
  for (int i = 0; i < 60 && !enough() && !::testing::Test::HasFailure(); ++i) {
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
  if (emulates) {
    EXPECT_GT(compared["depthwise.integers.lines.avx2_vnni"], 1);
    return;
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
          << candidate.kernel->name() << ": " << c.text << " of " << to_string(in) << " and " << to_string(weights) << ", "
          << describe(c.q);
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
    c.in = {made(left, {1, channels, r.integer(3, 8), r.integer(3, 20)}), made(right, kind == 1   ? Dims{channels, columns, tap, tap}
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
    const double most = static_cast<double>(kind == 2   ? tap * tap
                                            : kind == 1 ? channels
                                                        : channels * tap * tap) *
                        128 * (r.flag() ? 255 : 128);
    const float scale[] = {1.f, 1.f, static_cast<float>(std::ldexp(most, static_cast<int>(r.integer(-18, -14))))};
    for (int o = 0; o < 3; ++o) c.scale[o] = {scale[o]}, c.q.scale[o] = {From::attribute, -1, {scale[o]}};
    ASSERT_NO_FATAL_FAILURE(compare_channels_last(c, r, &compared));
  }
  EXPECT_GT(compared["conv.integers.portable"], 10);
  EXPECT_GT(compared["conv_transpose.integers.portable"], 10);
}

}  // namespace
}  // namespace anydim
