// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution: every kernel equals the reference of convolution bit for bit.
#include "core/kernels/conv/depthwise/depthwise.h"

#include "core/kernels/conv/conv.h"
#include "core/kernels/conv/depthwise/depthwise_cases.h"
#include "core/kernels/conv/depthwise/depthwise_job.h"
#include "core/kernels/testing/half.h"
#include "core/ops/operators/conv_transpose.h"
#include "core/ops/operators/convolution.h"

namespace anydim::testing {
namespace {

void compare(const Convolution::Attributes& a, const Dims& src, const Dims& weights, Random& r, double specials = 0,
             const Layout* layout = nullptr) {
  const auto op = *Convolution::make(a);
  testing::Run run{op.get()};
  run.in = {std::move(OwnedTensor(DType::f32, src, layout ? *layout : any_layout(r), &r).fill(r, specials)),
            std::move(OwnedTensor(DType::f32, weights, Layout::row_major).fill(r, specials / 10))};
  if (r.chance(0.7)) run.in.push_back(std::move(OwnedTensor(DType::f32, {weights[0]}).fill(r)));
  expect_equal(r, &run, *op, conv_reference(), depthwise_kernels());
  if (::testing::Test::HasFatalFailure()) return;
  // Of each instruction set, convolution by tiles and this.
  ASSERT_EQ(expect_half_equals_reference(conv_reference(), run, r), 2 * static_cast<int>(runnable(depthwise_kernels()).size()));
}

TEST(Depthwise, EveryKernelEqualsTheReferenceOnRandomProblems) {
  Random r(31);
  for (int n = 0; n < 150; ++n) {
    Convolution::Attributes a;
    a.spatial = static_cast<int32_t>(r.chance(0.7) ? 2 : r.integer(1, 3));
    const int64_t channels = r.chance(0.3) ? r.integer(17, 150) : r.integer(2, 40);
    const int64_t multiplier = r.chance(0.85) ? 1 : r.integer(2, 3);
    a.group = channels;
    Dims src = {r.chance(0.05) ? 0 : r.integer(1, 2), channels}, weights = {channels * multiplier, 1};
    for (int i = 0; i < a.spatial; ++i) {
      a.strides[i] = r.integer(1, 3);
      a.dilations[i] = r.chance(0.7) ? 1 : r.integer(2, 3);
      a.pads_begin[i] = r.integer(0, 4);
      a.pads_end[i] = r.integer(0, 4);
      src.push_back(r.chance(0.03) ? 0 : r.integer(1, a.spatial == 3 ? 7 : a.spatial == 2 ? 24 : 90));
      weights.push_back(r.integer(1, a.spatial == 3 ? 3 : 6));
    }
    if (r.chance(0.2)) a.auto_pad = static_cast<AutoPad>(r.integer(1, 3));
    compare(a, src, weights, r, r.chance(0.3) ? 0.03 : 0.0);
    if (HasFatalFailure()) return;
  }
}

TEST(Depthwise, SeveralOutputsOfAChannelEqualTheReference) {
  Random r(39);
  for (int n = 0; n < 60; ++n) {
    Convolution::Attributes a;
    a.spatial = static_cast<int32_t>(r.chance(0.7) ? 2 : r.integer(1, 3));
    a.group = r.chance(0.1) ? 2 : r.integer(3, 12);
    const int64_t multiplier = r.chance(0.5) ? r.integer(2, 5) : r.integer(6, 40);
    Dims src = {r.integer(1, 2), a.group}, weights = {a.group * multiplier, 1};
    const int64_t usual = r.chance(0.6) ? 3 : r.integer(1, 5);
    for (int i = 0; i < a.spatial; ++i) {
      a.strides[i] = r.chance(0.7) ? 1 : 2;
      a.dilations[i] = r.chance(0.8) ? 1 : 2;
      a.pads_begin[i] = a.pads_end[i] = usual / 2 * a.dilations[i];
      src.push_back(r.integer(usual, a.spatial == 3 ? 7 : multiplier > 5 ? 9 : 20));
      weights.push_back(usual);
    }
    compare(a, src, weights, r, r.chance(0.3) ? 0.03 : 0.0);
    if (HasFatalFailure()) return;
  }
  // So many outputs of a channel that they are not spread.
  Convolution::Attributes a;
  a.group = 2;
  compare(a, {1, 2, 1, 5}, {2 * 5000, 1, 1, 3}, r);
}

TEST(DepthwiseTransposed, EveryKernelEqualsTheReferenceOnRandomProblems) {
  Random r(38);
  for (int n = 0; n < 200; ++n) {
    ConvTranspose::Attributes a;
    a.spatial = static_cast<int32_t>(r.chance(0.7) ? 2 : r.integer(1, 3));
    a.group = r.chance(0.3) ? r.integer(17, 150) : r.integer(2, 40);
    a.auto_pad = r.chance(0.9) ? AutoPad::explicit_ : AutoPad::valid;
    Dims src = {r.chance(0.05) ? 0 : r.integer(1, 2), a.group}, weights = {a.group, 1};
    for (int i = 0; i < a.spatial; ++i) {
      a.strides[i] = r.integer(1, 4);
      a.dilations[i] = r.chance(0.7) ? 1 : r.integer(2, 4);
      src.push_back(r.integer(1, a.spatial == 3 ? 5 : a.spatial == 2 ? 16 : 60));
      weights.push_back(r.integer(1, a.spatial == 3 ? 3 : 6));
      const int64_t reach = (weights[2 + i] - 1) * a.dilations[i], whole = (src[2 + i] - 1) * a.strides[i] + reach + 1;
      a.pads_begin[i] = r.chance(0.3) ? 0 : r.integer(0, std::min(reach + 2, (whole - 1) / 2));
      a.pads_end[i] = r.chance(0.3) ? 0 : r.integer(0, std::min(reach + 2, (whole - 1) / 2));
      a.output_padding[i] = r.chance(0.6) ? 0 : r.integer(0, a.strides[i] - 1);
    }
    const auto op = *ConvTranspose::make(a);
    testing::Run run{op.get()};
    const double specials = r.chance(0.3) ? 0.03 : 0.0;
    run.in = {std::move(OwnedTensor(DType::f32, src, any_layout(r), &r).fill(r, specials)),
              std::move(OwnedTensor(DType::f32, weights, r.chance(0.8) ? Layout::row_major : Layout::permuted, &r).fill(r, specials / 10))};
    if (r.chance(0.7)) run.in.push_back(std::move(OwnedTensor(DType::f32, {a.group}).fill(r)));
    expect_equal(r, &run, *op, conv_transpose_reference(), depthwise_transposed_kernels());
    if (HasFatalFailure()) return;
  }
}

TEST(Depthwise, GroupsOfAFewChannelsEqualTheReference) {
  Random r(36);
  for (int64_t size : {2, 4, 8})
    for (int n = 0; n < 25; ++n) {
      Convolution::Attributes a;
      a.spatial = static_cast<int32_t>(r.chance(0.7) ? 2 : r.integer(1, 3));
      a.group = r.chance(0.3) ? r.integer(9, 40) : r.integer(2, 9);
      Dims src = {r.integer(1, 2), a.group * size}, weights = {a.group * size, size};
      int64_t taps = size;
      for (int i = 0; i < a.spatial; ++i) {
        a.strides[i] = r.integer(1, 2);
        a.dilations[i] = r.chance(0.7) ? 1 : 2;
        a.pads_begin[i] = r.integer(0, 2);
        a.pads_end[i] = r.integer(0, 2);
        src.push_back(r.integer(3, a.spatial == 3 ? 7 : a.spatial == 2 ? 20 : 60));
        weights.push_back(r.integer(1, std::min<int64_t>(3, kMaxDepthwiseTaps / taps)));
        taps *= weights[2 + i];
      }
      compare(a, src, weights, r, r.chance(0.3) ? 0.03 : 0.0);
      if (HasFatalFailure()) return;
    }
}

TEST(Depthwise, TheUsualWindowsEqualTheReferenceAtManyWidths) {
  Random r(32);
  for (int64_t k : {3, 5, 7})
    for (int64_t stride : {1, 2})
      for (int n = 0; n < 12; ++n) {
        Convolution::Attributes a;
        const int64_t channels = r.integer(1, 7) * 8 + (r.chance(0.3) ? r.integer(1, 7) : 0);
        a.group = channels;
        for (int i = 0; i < 2; ++i) {
          a.strides[i] = i == 1 && r.chance(0.3) ? 1 : stride;
          a.pads_begin[i] = a.pads_end[i] = k / 2;
        }
        compare(a, {r.integer(1, 2), channels, r.integer(1, 9), r.integer(1, 60)}, {channels, 1, k, k}, r);
        if (HasFatalFailure()) return;
      }
}

TEST(Depthwise, LargeEnoughForThreadsInAnyCut) {
  Random r(33);
  for (const Dims& d : {Dims{1, 40, 30, 50}, Dims{1, 300, 2, 30}, Dims{3, 70, 5, 9}}) {
    Convolution::Attributes a;
    a.group = d[1];
    for (int i = 0; i < 2; ++i) a.pads_begin[i] = a.pads_end[i] = 1;
    compare(a, d, {d[1], 1, 3, 3}, r);
    if (HasFatalFailure()) return;
  }
}

TEST(Depthwise, ChannelsFirstInputsAreTurnedBandByBand) {
  Random r(34);
  const Layout first = Layout::row_major;
  for (int64_t stride : {1, 2})
    for (const Dims& d : {Dims{2, 40, 17, 300}, Dims{1, 35, 9, 1700}}) {
      Convolution::Attributes a;
      a.group = d[1];
      for (int i = 0; i < 2; ++i) {
        a.strides[i] = stride;
        a.pads_begin[i] = a.pads_end[i] = 2;
      }
      compare(a, d, {d[1], 1, 5, 3}, r, 0, &first);
      if (HasFatalFailure()) return;
    }
}

TEST(Depthwise, ChannelsFirstInputsOfThreeAxesAreTurnedWhereTheyAreOneDeep) {
  Random r(35);
  const Layout first = Layout::row_major;
  Convolution::Attributes a;
  a.spatial = 3;
  a.group = 40;
  for (int i = 1; i < 3; ++i) a.pads_begin[i] = a.pads_end[i] = 1;
  for (int64_t depth : {1, 3}) compare(a, {2, 40, depth, 9, 60}, {40, 1, 1, 3, 3}, r, 0, &first);
}

TEST(Depthwise, SixteenBitRowsAreWidenedBandByBand) {
  Random r(37);
  const Layout last = Layout::channels_last;
  for (int64_t stride : {1, 2, 5})
    for (int64_t dilation : {1, 3})
      for (const Dims& d : {Dims{2, 64, 90, 70}, Dims{1, 48, 150, 33}, Dims{1, 700, 7, 160}}) {
        Convolution::Attributes a;
        a.group = d[1];
        for (int i = 0; i < 2; ++i) {
          a.strides[i] = stride;
          a.dilations[i] = dilation;
          a.pads_begin[i] = r.integer(0, 4);
          a.pads_end[i] = r.integer(0, 4);
        }
        compare(a, d, {d[1], 1, 3, 3}, r, 0, &last);
        if (HasFatalFailure()) return;
      }
}

TEST(Depthwise, RefusesWhatItIsNotFor) {
  const auto* kernel = depthwise_kernels().front();
  const PostOps none;
  auto refusal = [&](int64_t group, const SymDims& src, const SymDims& weights, DType t) {
    Convolution::Attributes a;
    a.group = group;
    const auto op = *Convolution::make(a);
    const TensorType in[2] = {{t, src}, {t, weights}}, out[1] = {{t, src}};
    return kernel->supports(Problem{op.get(), in, out, &none}).refusal;
  };
  EXPECT_EQ(refusal(8, {1, 8, 9, 9}, {8, 1, 3, 3}, DType::f32), nullptr);
  EXPECT_EQ(refusal(4, {1, 8, 9, 9}, {8, 2, 3, 3}, DType::f32), nullptr);
  EXPECT_NE(refusal(4, {1, 8, 9, 9}, {16, 2, 3, 3}, DType::f32), nullptr);
  EXPECT_NE(refusal(4, {1, 12, 9, 9}, {12, 3, 3, 3}, DType::f32), nullptr);
  EXPECT_NE(refusal(4, {1, 32, 9, 9}, {32, 8, 5, 5}, DType::f32), nullptr);
  EXPECT_NE(refusal(1, {1, 1, 9, 9}, {8, 1, 3, 3}, DType::f32), nullptr);
  EXPECT_NE(refusal(8, {1, 8, 99, 99}, {8, 1, 23, 23}, DType::f32), nullptr);
  EXPECT_NE(refusal(8, {1, 8, 9, 9}, {8, 1, 3, 3}, DType::f64), nullptr);
}

}  // namespace
}  // namespace anydim::testing
