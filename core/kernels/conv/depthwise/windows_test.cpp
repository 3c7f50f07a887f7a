// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions with windows of more than one block of sums: every kernel equals the reference bit for bit.
#include <algorithm>

#include "core/kernels/conv/conv.h"
#include "core/kernels/conv/depthwise/depthwise.h"
#include "core/kernels/conv/depthwise/depthwise_cases.h"
#include "core/kernels/conv/depthwise/depthwise_job.h"
#include "core/kernels/testing/half.h"
#include "core/ops/operators/conv_transpose.h"
#include "core/ops/operators/convolution.h"

namespace anydim::testing {
namespace {

std::vector<const HostKernel*> windows_of(OpKind op) {
  std::vector<const HostKernel*> list;
  for (const HostKernel* k : depthwise_window_kernels())
    if (k->key().op == op) list.push_back(k);
  return list;
}

// A kernel of `taps` or a few more, over the axes of a window.
Dims kernel_dims(Random& r, int spatial, int64_t taps) {
  Dims k;
  int64_t rest = taps;
  for (int i = 0; i + 1 < spatial; ++i) {
    const int64_t most = spatial == 3 ? 7 : 40;
    k.push_back(r.chance(0.15) ? 1 : r.integer(2, std::min(rest, most)));
    rest = ceil_div(rest, k[i]);
  }
  k.push_back(rest);
  if (spatial == 2 && r.chance(0.4)) std::swap(k[0], k[1]);
  return k;
}

struct WindowCase {
  Dims src, weights;
  double specials = 0;
};

void compare_windows(const Operator& op, const WindowCase& c, Random& r, const Layout* layout = nullptr) {
  testing::Run run{&op};
  run.in = {
      std::move(OwnedTensor(DType::f32, c.src, layout ? *layout : any_layout(r), &r).fill(r, c.specials)),
      std::move(OwnedTensor(DType::f32, c.weights, r.chance(0.8) ? Layout::row_major : Layout::permuted, &r).fill(r, c.specials / 10))};
  const bool transposed = op.kind() == OpKind::conv_transpose;
  const int64_t channels = transposed ? c.weights[0] * c.weights[1] : c.weights[0];
  if (r.chance(0.7)) run.in.push_back(std::move(OwnedTensor(DType::f32, {channels}).fill(r)));
  expect_equal(r, &run, op, transposed ? conv_transpose_reference() : conv_reference(), windows_of(op.kind()));
}

TEST(DepthwiseWindows, EveryKernelEqualsTheReferenceOnRandomProblems) {
  Random r(61);
  for (int n = 0; n < 120; ++n) {
    Convolution::Attributes a;
    a.spatial = static_cast<int32_t>(r.chance(0.6) ? 2 : r.chance(0.6) ? 1 : 3);
    a.group = r.integer(2, r.chance(0.3) ? 40 : 18);
    const int64_t multiplier = r.chance(0.7) ? 1 : r.integer(2, 5);
    const Dims kernel = kernel_dims(r, a.spatial, r.integer(129, r.chance(0.2) ? 1000 : 300));
    WindowCase c{{r.integer(1, 2), a.group}, {a.group * multiplier, 1}, r.chance(0.3) ? 0.03 : 0.0};
    for (int i = 0; i < a.spatial; ++i) {
      const int64_t k = kernel[i];
      a.strides[i] = r.chance(0.6) ? 1 : r.integer(2, 4);
      a.dilations[i] = r.chance(0.8) ? 1 : r.integer(2, 3);
      const int64_t reach = (k - 1) * a.dilations[i];
      a.pads_begin[i] = r.chance(0.5) ? reach / 2 : r.integer(0, reach + 2);
      a.pads_end[i] = r.chance(0.5) ? reach / 2 : r.integer(0, reach + 2);
      c.src.push_back(r.chance(0.03) ? 0 : r.integer(1, a.spatial == 3 ? 6 : a.spatial == 2 ? 20 : 200));
      c.weights.push_back(k);
      // At least one position.
      a.pads_end[i] = std::max(a.pads_end[i], reach + 1 - a.pads_begin[i] - c.src[2 + i]);
    }
    if (r.chance(0.1)) a.auto_pad = r.chance(0.5) ? AutoPad::same_upper : AutoPad::same_lower;
    const auto op = *Convolution::make(a);
    compare_windows(*op, c, r);
    if (HasFatalFailure()) return;
  }
}

TEST(DepthwiseWindows, TransposedOnesEqualTheReferenceOnRandomProblems) {
  Random r(62);
  for (int n = 0; n < 80; ++n) {
    ConvTranspose::Attributes a;
    a.spatial = static_cast<int32_t>(r.chance(0.6) ? 2 : r.chance(0.6) ? 1 : 3);
    a.group = r.integer(2, 20);
    const Dims kernel = kernel_dims(r, a.spatial, r.integer(129, r.chance(0.2) ? 700 : 260));
    WindowCase c{{r.integer(1, 2), a.group}, {a.group, r.chance(0.7) ? 1 : r.integer(2, 3)}, r.chance(0.3) ? 0.03 : 0.0};
    for (int i = 0; i < a.spatial; ++i) {
      a.strides[i] = r.chance(0.4) ? 1 : r.integer(2, 9);
      a.dilations[i] = r.chance(0.8) ? 1 : r.integer(2, 4);
      c.src.push_back(r.integer(1, a.spatial == 3 ? 3 : a.spatial == 2 ? 8 : 60));
      c.weights.push_back(kernel[i]);
      const int64_t whole = (c.src[2 + i] - 1) * a.strides[i] + (kernel[i] - 1) * a.dilations[i] + 1;
      a.pads_begin[i] = r.chance(0.3) ? 0 : r.integer(0, (whole - 1) / 2);
      a.pads_end[i] = r.chance(0.3) ? 0 : r.integer(0, (whole - 1) / 2);
      a.output_padding[i] = r.chance(0.6) ? 0 : r.integer(0, a.strides[i] - 1);
    }
    if (r.chance(0.15)) a.auto_pad = r.chance(0.5) ? AutoPad::same_upper : AutoPad::same_lower;
    const auto op = *ConvTranspose::make(a);
    compare_windows(*op, c, r);
    if (HasFatalFailure()) return;
  }
}

TEST(DepthwiseWindows, AnyNumberOfTapsUpToAThousandEqualsTheReference) {
  Random r(63);
  for (int64_t taps : {129, 169, 255, 256, 257, 384, 511, 640, 961, 1000})
    for (int64_t width : {1, 40, 300}) {
      Convolution::Attributes a;
      a.spatial = 1;
      a.group = 17;
      a.pads_begin[0] = a.pads_end[0] = std::max<int64_t>(taps / 2, (taps - width + 1) / 2);
      const auto op = *Convolution::make(a);
      compare_windows(*op, {{1, a.group, width}, {a.group, 1, taps}, 0.01}, r);
      if (HasFatalFailure()) return;
    }
}

TEST(DepthwiseWindows, LargeOnesAreCutForThreadsAndForTheSecondCache) {
  Random r(64);
  for (const Layout layout : {Layout::row_major, Layout::channels_last})
    for (const Dims& d : {Dims{1, 20, 90, 150}, Dims{2, 40, 33, 21}, Dims{1, 3, 200, 66}}) {
      Convolution::Attributes a;
      a.group = d[1];
      for (int i = 0; i < 2; ++i) a.pads_begin[i] = a.pads_end[i] = 6;
      const auto op = *Convolution::make(a);
      compare_windows(*op, {d, {d[1], 1, 13, 13}}, r, &layout);
      if (HasFatalFailure()) return;
    }
}

TEST(DepthwiseWindows, SixteenBitFloatsEqualTheReference) {
  Random r(65);
  Convolution::Attributes a;
  a.group = 19;
  for (int i = 0; i < 2; ++i) a.pads_begin[i] = a.pads_end[i] = 6;
  const auto op = *Convolution::make(a);
  testing::Run run{op.get()};
  run.in = {std::move(OwnedTensor(DType::f32, {1, 19, 11, 17}, Layout::row_major, &r).fill(r)),
            std::move(OwnedTensor(DType::f32, {19, 1, 13, 12}, Layout::row_major).fill(r))};
  // Of each instruction set, convolution by tiles and this.
  EXPECT_EQ(expect_half_equals_reference(conv_reference(), run, r), 2 * static_cast<int>(runnable(windows_of(OpKind::convolution)).size()));
}

TEST(DepthwiseWindows, RefuseWhatTheyAreNotFor) {
  const PostOps none;
  const auto refusal = [&](int64_t group, const SymDims& src, const SymDims& weights, DType t) {
    Convolution::Attributes a;
    a.group = group;
    const auto op = *Convolution::make(a);
    const TensorType in[2] = {{t, src}, {t, weights}}, out[1] = {{t, src}};
    return windows_of(OpKind::convolution).front()->supports(Problem{op.get(), in, out, &none}).refusal;
  };
  EXPECT_EQ(refusal(8, {1, 8, 99, 99}, {8, 1, 13, 13}, DType::f32), nullptr);
  EXPECT_EQ(refusal(8, {1, 8, 99, 99}, {16, 1, 13, 13}, DType::f32), nullptr);
  EXPECT_NE(refusal(8, {1, 8, 99, 99}, {8, 1, 11, 11}, DType::f32), nullptr);
  EXPECT_NE(refusal(4, {1, 8, 99, 99}, {8, 2, 13, 13}, DType::f32), nullptr);
  EXPECT_NE(refusal(1, {1, 1, 99, 99}, {8, 1, 13, 13}, DType::f32), nullptr);
  EXPECT_NE(refusal(8, {1, 8, 99, 99}, {8, 1, 13, 13}, DType::f64), nullptr);
}

}  // namespace
}  // namespace anydim::testing
