// SPDX-License-Identifier: Apache-2.0
// Every convolution kernel equals the reference bit for bit: random shapes, layouts, paddings, groups, post-ops,
// special values, thread counts.
#include "core/kernels/conv/conv.h"

#include <unistd.h>

#include <algorithm>

#include "core/kernels/conv/conv_cases.h"
#include "core/kernels/conv/geometry.h"
#include "core/kernels/testing/half.h"
#include "core/kernels/testing/harness.h"

namespace anydim::testing {
namespace {

// `channels`: at most so many a group, into as many or at most `outputs`; `kernel`: at most so wide.
Case random_case(Random& r, bool transposed, int64_t channels, int64_t extent, int64_t kernel = 5, int64_t outputs = 0) {
  Case c;
  const int spatial = r.chance(0.75) ? 2 : static_cast<int>(r.integer(1, 3));
  const int64_t groups = r.chance(0.8) ? 1 : r.integer(2, 4);
  const int64_t in = r.integer(1, channels), out = r.integer(1, outputs > 0 ? outputs : channels);
  const bool small_kernel = r.chance(0.3);
  Dims src{r.integer(1, 3), in * groups}, weights = transposed ? Dims{in * groups, out} : Dims{out * groups, in};
  Convolution::Attributes a;
  ConvTranspose::Attributes t;
  a.spatial = t.spatial = spatial;
  a.group = t.group = groups;
  a.auto_pad = t.auto_pad = r.chance(0.7) ? AutoPad::explicit_ : static_cast<AutoPad>(r.integer(1, 3));
  for (int i = 0; i < spatial; ++i) {
    src.push_back(r.chance(0.05) ? r.integer(0, 1) : r.integer(1, spatial == 3 ? 6 : extent));
    weights.push_back(small_kernel ? 1 : r.integer(1, spatial == 3 ? 3 : kernel));
    a.strides[i] = t.strides[i] = r.chance(0.6) ? 1 : r.integer(1, 3);
    a.dilations[i] = t.dilations[i] = r.chance(0.8) ? 1 : r.integer(1, 3);
    a.pads_begin[i] = r.chance(0.3) ? 0 : r.integer(0, 4);
    a.pads_end[i] = r.chance(0.3) ? 0 : r.integer(0, 4);
    t.pads_begin[i] = r.chance(0.6) ? 0 : r.integer(0, 2);
    t.pads_end[i] = r.chance(0.6) ? 0 : r.integer(0, 2);
    t.output_padding[i] = r.chance(0.7) ? 0 : r.integer(0, t.strides[i] - 1);
  }
  if (transposed && r.chance(0.35)) {  // windows that tile the output: the usual upsampling layer
    if (r.chance(0.5)) {
      weights[1] = r.integer(1, 3);
      t.group = 1;
      weights[0] = src[1];
    }
    t.auto_pad = AutoPad::explicit_;
    for (int i = 0; i < spatial; ++i) {
      t.strides[i] = weights[i + 2] = r.integer(1, 3);
      t.dilations[i] = 1;
      t.pads_begin[i] = t.pads_end[i] = t.output_padding[i] = 0;
    }
  }
  if (r.chance(0.02)) src[0] = 0;
  OwnedTensor input(DType::f32, src, random_layout(r), &r);
  OwnedTensor kernels(DType::f32, weights, r.chance(0.8) ? Layout::row_major : Layout::permuted, &r);
  EXPECT_TRUE(draw_case(r, *(transposed ? ConvTranspose::make(t) : Convolution::make(a)), std::move(input), std::move(kernels),
                        transposed ? weights[1] * t.group : weights[0], random_layout(r), &c));
  return c;
}

TEST(Convolution, EqualsTheReferenceOnRandomSmallShapes) {
  Random r(1);
  for (int i = 0; i < 600 && !HasFailure(); ++i) {
    Case c = random_case(r, false, 20, 12);
    expect_equal_to_reference(r, c, conv_kernels());
  }
}

TEST(Convolution, EqualsTheReferenceWithManyChannelsSoThatSumsHaveSeveralBlocks) {
  Random r(2);
  for (int i = 0; i < 25 && !HasFailure(); ++i) {
    Case c = random_case(r, false, 180, 7);
    expect_equal_to_reference(r, c, conv_kernels());
  }
}

// Panels that L2 does not hold: k is cut into parts, and partial sums wait.
TEST(Convolution, EqualsTheReferenceWithMoreWeightsThanCachesHold) {
  Random r(6);
  for (const auto& [channels, outputs, height] : {std::array<int64_t, 3>{1000, 40, 7}, {1100, 69, 5}, {600, 70, 21}}) {
    Convolution::Attributes a;
    for (int i = 0; i < 2; ++i) a.pads_begin[i] = a.pads_end[i] = 1;
    Case c;
    c.op = *Convolution::make(a);
    c.run.op = c.op.get();
    c.run.in.emplace_back(DType::f32, Dims{1, channels, height, 6}, Layout::channels_last, &r);
    c.run.in.emplace_back(DType::f32, Dims{outputs, channels, 3, 3});
    c.run.in.emplace_back(DType::f32, Dims{outputs});
    for (OwnedTensor& t : c.run.in) t.fill(r);
    c.run.out_layouts = {Layout::channels_last};
    c.run.constant_weights = true;
    add_post_ops(r, Dims{1, outputs, height, 6}, &c.run);
    c.text = formatted("{} channels to {}, {} x 6", channels, outputs, height);
    for (c.run.threads = 1; c.run.threads <= 2; ++c.run.threads) expect_equal_to_reference(r, c, conv_kernels());
  }
}

// Such panels are cut over threads by the bytes that the tasks read.
TEST(Convolution, EqualsTheReferenceHoweverThreadsShareLargeWeights) {
  Random r(13);
  for (const auto& [channels, outputs, kernel] : {std::array<int64_t, 3>{150, 300, 3}, {1100, 270, 1}}) {
    Convolution::Attributes a;
    for (int i = 0; i < 2; ++i) a.pads_begin[i] = a.pads_end[i] = kernel / 2;
    Case c;
    c.op = *Convolution::make(a);
    c.run.op = c.op.get();
    c.run.in.emplace_back(DType::f32, Dims{2, channels, 9, 7}, Layout::channels_last, &r);
    c.run.in.emplace_back(DType::f32, Dims{outputs, channels, kernel, kernel});
    for (OwnedTensor& t : c.run.in) t.fill(r);
    c.run.out_layouts = {Layout::channels_last};
    c.run.constant_weights = true;
    for (const int threads : {2, 7, 33}) {
      c.run.threads = threads;
      c.text = formatted("{} channels to {}, kernel {}, {} threads", channels, outputs, kernel, threads);
      expect_equal_to_reference(r, c, conv_kernels());
    }
  }
}

// The same where a line of positions meets nothing but padding: there is no part of k, and still a result.
TEST(Convolution, GivesTheBiasWhereAllTapsOfManyWeightsAreInThePadding) {
  Random r(11);
  Convolution::Attributes a;
  a.pads_begin[0] = a.pads_end[0] = 2;
  Case c;
  c.op = *Convolution::make(a);
  c.run.op = c.op.get();
  c.run.in.emplace_back(DType::f32, Dims{1, 3000, 1, 40}, Layout::channels_last, &r);
  c.run.in.emplace_back(DType::f32, Dims{40, 3000, 2, 2});
  c.run.in.emplace_back(DType::f32, Dims{40});
  for (OwnedTensor& t : c.run.in) t.fill(r);
  c.run.out_layouts = {Layout::channels_last};
  c.run.constant_weights = true;
  c.text = "3000 channels, two lines of padding above and below one line";
  expect_equal_to_reference(r, c, conv_kernels());
}

// Long kernels over short lines: near the ends, or everywhere, no two positions have the same taps.
TEST(Convolution, EqualsTheReferenceWhereEveryPositionHasTapsOfItsOwn) {
  Random r(10);
  for (int i = 0; i < 120 && !HasFailure(); ++i) {
    Convolution::Attributes a;
    a.spatial = r.chance(0.7) ? 1 : 2;
    a.group = r.integer(1, 3);
    const int64_t channels = r.integer(6, r.chance(0.3) ? 140 : 40), outputs = r.integer(1, 70);
    Dims src{r.chance(0.8) ? 1 : 2, a.group * channels}, weights{a.group * outputs, channels};
    for (int axis = 0; axis < a.spatial; ++axis) {
      const bool last = axis + 1 == a.spatial;
      const int64_t kernel = last ? r.integer(4, 50) : r.integer(1, 3), size = last ? r.integer(1, 60) : r.integer(1, 3);
      a.strides[axis] = r.chance(0.7) ? 1 : r.integer(2, 3);
      a.dilations[axis] = r.chance(0.7) ? 1 : r.integer(2, 9);
      const int64_t reach = (kernel - 1) * a.dilations[axis] + 1;
      a.pads_begin[axis] = r.chance(0.6) ? reach / 2 : r.integer(0, reach);
      a.pads_end[axis] = std::max(reach - size - a.pads_begin[axis], r.chance(0.6) ? reach / 2 : r.integer(0, reach));
      src.push_back(size);
      weights.push_back(kernel);
    }
    Case c;
    const Layout from = r.chance(0.7) ? Layout::channels_last : random_layout(r);
    const Layout to = r.chance(0.7) ? Layout::channels_last : random_layout(r);
    ASSERT_TRUE(draw_case(r, *Convolution::make(a), {DType::f32, src, from, &r}, {DType::f32, weights}, weights[0], to, &c));
    expect_equal_to_reference(r, c, conv_kernels());
  }
}

TEST(Convolution, EqualsTheReferenceOnFirstLayersOfOneToFourChannels) {
  Random r(3);
  for (int i = 0; i < 60 && !HasFailure(); ++i) {
    // Up to 324 taps: three blocks of single elements. Into as few channels, or into so many that tiles take several panels.
    Case c = random_case(r, false, 4, 40, 9, r.chance(0.5) ? 4 : 200);
    expect_equal_to_reference(r, c, conv_kernels());
  }
}

// Lanes that are positions: lines shorter and longer than vectors, several lines at once, taps in the padding, more than one block
// of a sum.
TEST(Convolution, EqualsTheReferenceIntoOneToFourChannels) {
  Random r(12);
  int ran = 0;
  for (int i = 0; i < 120 && !HasFailure(); ++i) {
    Convolution::Attributes a;
    a.spatial = r.chance(0.25) ? 1 : 2;
    const int64_t channels = r.integer(1, r.chance(0.3) ? 150 : 30);
    Dims src{r.chance(0.7) ? 1 : 2, channels}, weights{r.integer(1, 4), channels};
    for (int axis = 0; axis < a.spatial; ++axis) {
      const bool last = axis + 1 == a.spatial;
      const int64_t kernel = a.spatial == 1 ? r.integer(9, 20) : r.integer(3, 7),
                    size = last ? r.integer(1, i % 5 == 0 ? 150 : 40) : r.integer(1, 12);
      a.dilations[axis] = r.chance(0.7) ? 1 : r.integer(2, 4);
      const int64_t reach = (kernel - 1) * a.dilations[axis] + 1;
      a.pads_begin[axis] = r.chance(0.6) ? reach / 2 : r.integer(0, reach);
      a.pads_end[axis] = std::max(reach - size - a.pads_begin[axis], r.chance(0.6) ? reach / 2 : r.integer(0, reach));
      src.push_back(size);
      weights.push_back(kernel);
    }
    Case c;
    const Layout of_weights = r.chance(0.8) ? Layout::row_major : Layout::permuted;
    ASSERT_TRUE(draw_case(r, *Convolution::make(a), {DType::f32, src, random_layout(r), &r}, {DType::f32, weights, of_weights, &r},
                          weights[0], random_layout(r), &c));
    expect_equal_to_reference(r, c, conv_kernels());
    for (const HostKernel* k : with_lines(conv_kernels())) ran += is_for_few_outputs(*k) && run_kernel(*k, c.run, &r).refusal == nullptr;
  }
  if (cpu().usable.includes(Isa::avx2)) {
    EXPECT_GT(ran, 50);
  }
}

// Filters of audio and images of a few channels: hundreds of taps, most of them inside for all positions of a block.
TEST(Convolution, EqualsTheReferenceInGroupsIntoOneToFourChannels) {
  Random r(15);
  int ran = 0;
  for (int i = 0; i < 150 && !HasFailure(); ++i) {
    const bool transposed = r.chance(0.3);
    const int spatial = r.chance(0.5) ? 1 : 2;
    const int64_t group = r.chance(0.3) ? 1 : r.integer(2, r.chance(0.8) ? 7 : 20);
    const int64_t channels = r.chance(0.6) ? 1 : r.integer(2, 9), outputs = r.integer(1, r.chance(0.5) ? 1 : 4);
    Convolution::Attributes a;
    ConvTranspose::Attributes t;
    a.spatial = t.spatial = spatial;
    a.group = t.group = group;
    Dims src{r.chance(0.7) ? 1 : 2, group * channels}, weights{group * outputs, channels};
    if (transposed) weights = {group * channels, outputs};
    for (int axis = 0; axis < spatial; ++axis) {
      const bool last = axis + 1 == spatial;
      const int64_t kernel = last ? r.integer(spatial == 1 ? 5 : 3, r.chance(0.2) ? 600 : 40) : r.integer(1, r.chance(0.2) ? 30 : 7);
      const int64_t size = !transposed && r.chance(0.03) ? 0 : last ? r.integer(1, i % 3 == 0 ? 300 : 70) : r.integer(1, 14);
      a.dilations[axis] = t.dilations[axis] = r.chance(0.7) ? 1 : r.integer(2, 4);
      t.strides[axis] = r.chance(0.5) ? 1 : r.integer(2, 5);
      const int64_t reach = (kernel - 1) * a.dilations[axis] + 1, whole = (size - 1) * t.strides[axis] + reach;
      a.pads_begin[axis] = r.chance(0.6) ? reach / 2 : r.integer(0, reach);
      a.pads_end[axis] = std::max(reach - size - a.pads_begin[axis], r.chance(0.6) ? reach / 2 : r.integer(0, reach));
      t.pads_begin[axis] = r.integer(0, (whole - 1) / 2);
      t.pads_end[axis] = r.integer(0, (whole - 1) / 2);
      src.push_back(size);
      weights.push_back(kernel);
    }
    Case c;
    const Layout of_weights = r.chance(0.8) ? Layout::row_major : Layout::permuted;
    OperatorPtr op = transposed ? *ConvTranspose::make(t) : *Convolution::make(a);
    ASSERT_TRUE(draw_case(r, std::move(op), {DType::f32, src, random_layout(r), &r}, {DType::f32, weights, of_weights, &r}, group * outputs,
                          random_layout(r), &c));
    const KernelList kernels = transposed ? conv_transpose_kernels() : conv_kernels();
    expect_equal_to_reference(r, c, kernels);
    for (const HostKernel* k : with_lines(kernels)) ran += is_for_few_outputs(*k) && run_kernel(*k, c.run, &r).refusal == nullptr;
  }
  if (cpu().usable.includes(Isa::avx2)) {
    EXPECT_GT(ran, 60);
  }
}

TEST(ConvTranspose, EqualsTheReferenceOnRandomShapes) {
  Random r(4);
  for (int i = 0; i < 400 && !HasFailure(); ++i) {
    Case c = random_case(r, true, 20, 9);
    expect_equal_to_reference(r, c, conv_transpose_kernels());
  }
}

TEST(ConvTranspose, EqualsTheReferenceWithManyChannels) {
  Random r(5);
  for (int i = 0; i < 20 && !HasFailure(); ++i) {
    Case c = random_case(r, true, 150, 5);
    expect_equal_to_reference(r, c, conv_transpose_kernels());
  }
}

TEST(Convolution, Of16BitFloatsEqualsTheReference) {
  Random r(8);
  for (int i = 0; i < 200 && !HasFailure(); ++i) {
    Case c = i < 190 ? random_case(r, false, 20, 12) : random_case(r, false, 150, 7);
    EXPECT_GT(expect_half_equals_reference(conv_reference(), c.run, r), 0) << c.text;
  }
}

TEST(ConvTranspose, Of16BitFloatsEqualsTheReference) {
  Random r(9);
  for (int i = 0; i < 120 && !HasFailure(); ++i) {
    Case c = random_case(r, true, 20, 9);
    EXPECT_GT(expect_half_equals_reference(conv_transpose_reference(), c.run, r), 0) << c.text;
  }
}

// Padding is skipped: an infinite weight that only ever meets padding leaves no NaN.
TEST(Convolution, SkipsPaddingInsteadOfMultiplyingByZero) {
  Convolution::Attributes a;
  a.pads_begin[0] = a.pads_begin[1] = a.pads_end[0] = a.pads_end[1] = 1;
  const OperatorPtr op = *Convolution::make(a);
  anydim::testing::Run run;
  run.op = op.get();
  Random r(6);
  run.in.emplace_back(DType::f32, Dims{1, 8, 1, 1}, Layout::row_major, &r);
  run.in[0].fill(r);
  float sum = 0;
  for (int64_t c = 0; c < 8; ++c) sum = sum + run.in[0].get<float>(c);
  run.in.emplace_back();
  run.constant_weights = true;
  for (const int64_t outputs : {5, 3}) {
    run.in[1] = OwnedTensor(DType::f32, {outputs, 8, 3, 3});
    run.in[1].each([](int64_t i, std::byte* p) {
      const float v = i % 9 == 4 ? 1.f : std::numeric_limits<float>::infinity();
      std::memcpy(p, &v, 4);
    });
    for (const HostKernel* k : with_lines(conv_kernels())) {
      Outcome o = run_kernel(*k, run, &r);
      if (o.refusal && is_for_few_outputs(*k) && outputs == 5) continue;
      ASSERT_EQ(o.refusal, nullptr) << k->name();
      for (int64_t i = 0; i < outputs; ++i) EXPECT_EQ(o.out[0].get<float>(i), sum) << k->name();
    }
  }
}

// The runs of an axis hold every output position once, with the taps that a scan finds.
TEST(Geometry, RunsHoldEveryPositionOnceWithItsValidTaps) {
  Random r(7);
  for (int i = 0; i < 3000 && !HasFailure(); ++i) {
    ConvGeometry g;
    g.transposed = r.chance(0.5);
    g.in[2] = r.integer(0, 12);
    g.out[2] = r.integer(0, 20);
    g.kernel[2] = r.integer(1, 7);
    g.stride[2] = r.integer(1, 5);
    g.dilation[2] = r.integer(1, 5);
    g.pad[2] = r.integer(0, 15);
    std::vector<AxisRun> runs(static_cast<size_t>(axis_run_bound(g, 2)) + 8);
    const int64_t n = axis_runs(g, 2, runs.data());
    ASSERT_LE(n, axis_run_bound(g, 2));
    std::vector<int> seen(static_cast<size_t>(g.out[2]), 0);
    for (int64_t q = 0; q < n; ++q)
      for (int64_t j = 0; j < runs[q].count; ++j) {
        const int64_t o = runs[q].out + j * runs[q].out_step;
        ASSERT_LT(o, g.out[2]);
        ++seen[static_cast<size_t>(o)];
        std::vector<std::pair<int64_t, int64_t>> want, got;  // kernel position, input position
        for (int64_t k = 0; k < g.kernel[2]; ++k) {
          int64_t x = o * g.stride[2] - g.pad[2] + k * g.dilation[2];
          if (g.transposed) {
            const int64_t y = o + g.pad[2] - k * g.dilation[2];
            if (y < 0 || y % g.stride[2] != 0) continue;
            x = y / g.stride[2];
          }
          if (x >= 0 && x < g.in[2]) want.emplace_back(k, x);
        }
        for (int64_t t = 0; t < runs[q].taps; ++t)
          got.emplace_back(runs[q].k + t * runs[q].k_step, runs[q].in + j * runs[q].in_step + t * runs[q].tap_step);
        ASSERT_EQ(want, got);
      }
    for (int s : seen) ASSERT_EQ(s, 1);
  }
}

// All of these would take hours if packing or a kernel walked the kernel's positions: the alarm ends the program.
TEST(Convolution, WeightsWithoutElementsTakeNoTimeHoweverLongTheirKernelIs) {
  constexpr int64_t kLong = INT64_C(1) << 20;
  alarm(60);
  Random r(31);
  for (const bool transposed : {false, true})
    for (const bool constant : {true, false})
      for (const int64_t in : {0, 2})
        for (const int64_t out : {0, 3}) {
          if (in > 0 && out > 0) continue;
          Convolution::Attributes a;
          ConvTranspose::Attributes t;
          a.spatial = t.spatial = 2;
          for (int i = 0; i < 2; ++i) {
            a.strides[i] = a.pads_begin[i] = a.pads_end[i] = kLong;
            t.pads_begin[i] = t.pads_end[i] = kLong / 2;
          }
          const OperatorPtr op = *(transposed ? ConvTranspose::make(t) : Convolution::make(a));
          testing::Run run;
          run.op = op.get();
          run.constant_weights = constant;
          run.in.emplace_back(DType::f32, Dims{1, in, 4, 4}, Layout::channels_last);
          run.in.emplace_back(DType::f32, transposed ? Dims{in, out, kLong, kLong} : Dims{out, in, kLong, kLong}, Layout::row_major);
          run.in.emplace_back(DType::f32, Dims{out}, Layout::row_major);
          run.in.back().fill(r);
          for (const HostKernel* k : with_lines(transposed ? conv_transpose_kernels() : conv_kernels())) {
            const Outcome o = run_kernel(*k, run);
            ASSERT_TRUE(o.status.ok()) << k->name() << ": " << o.status.message();
            if (o.refusal != nullptr) continue;
            const int64_t plane = o.out[0].view().count() / std::max<int64_t>(out, 1);
            for (int64_t i = 0; i < o.out[0].view().count(); ++i)
              ASSERT_EQ(o.out[0].get<float>(i), run.in[2].get<float>(i / plane)) << k->name() << ": a sum of nothing and the bias";
          }
        }
  alarm(0);
}

TEST(Convolution, ATapIsSkippedByGeometryNotByLookingAtIt) {
  constexpr int64_t kLong = INT64_C(1) << 18;
  alarm(60);
  Random r(32);
  for (const bool transposed : {false, true}) {
    Convolution::Attributes a;
    ConvTranspose::Attributes t;
    a.spatial = t.spatial = 1;
    a.pads_begin[0] = a.pads_end[0] = kLong;
    a.strides[0] = 2;
    t.pads_begin[0] = t.pads_end[0] = 10;
    const OperatorPtr op = *(transposed ? ConvTranspose::make(t) : Convolution::make(a));
    testing::Run run;
    run.op = op.get();
    run.in.emplace_back(DType::f32, Dims{1, 1, 5}, Layout::row_major);
    run.in.back().fill(r);
    run.in.emplace_back(DType::f32, Dims{1, 1, kLong}, Layout::row_major);
    run.in.back().fill(r);
    // Hundreds of thousands of outputs, each with five taps.
    const Outcome truth = run_kernel(*(transposed ? conv_transpose_kernels() : conv_kernels()).back(), run);
    ASSERT_TRUE(truth.status.ok()) << truth.status.message();
    ASSERT_GT(truth.out[0].view().count(), kLong / 4);
    for (const HostKernel* k : with_lines(transposed ? conv_transpose_kernels() : conv_kernels())) {
      const Outcome o = run_kernel(*k, run);
      if (o.refusal && is_for_few_outputs(*k)) continue;
      ASSERT_TRUE(o.status.ok()) << k->name() << ": " << o.status.message();
      ASSERT_TRUE(same_bits(truth.out[0], o.out[0])) << k->name();
    }
  }
  alarm(0);
}

}  // namespace
}  // namespace anydim::testing
