// SPDX-License-Identifier: Apache-2.0
// Math mode fast: every kernel in Winograd's form equals the loops of docs/numerics.md bit for bit: groups, padding, planes that
// end within tiles, layouts, post-ops, threads, numbers that are not finite. A row has its bits in any batch, and the error is within
// the bound that is written there.
#include <array>
#include <cmath>

#include "core/kernels/conv/conv_cases.h"
#include "core/kernels/conv/winograd/winograd.h"
#include "core/kernels/testing/golden.h"
#include "core/kernels/testing/harness.h"

namespace anydim::testing {
namespace {

struct Sizes {
  int64_t most_channels, least_extent, most_extent;
};

Case draw(Random& r, const Sizes& sizes) {
  Case c;
  const int64_t groups = r.chance(0.8) ? 1 : 2, in = r.integer(16, sizes.most_channels), out = r.integer(16, sizes.most_channels);
  Convolution::Attributes a;
  a.group = groups;
  for (int i = 0; i < 2; ++i) {
    a.pads_begin[i] = r.integer(0, 3);
    a.pads_end[i] = r.integer(0, 3);
  }
  if (r.chance(0.15)) a.auto_pad = AutoPad::same_lower;
  const Dims src{r.integer(1, 3), in * groups, r.integer(sizes.least_extent, sizes.most_extent),
                 r.integer(sizes.least_extent, sizes.most_extent)};
  OwnedTensor input(DType::f32, src, random_layout(r), &r);
  OwnedTensor kernels(DType::f32, {out * groups, in, 3, 3}, r.chance(0.8) ? Layout::row_major : Layout::permuted, &r);
  const bool fits = draw_case(r, *Convolution::make(a), std::move(input), std::move(kernels), out * groups, random_layout(r), &c);
  c.run.constant_weights = true;
  return fits ? std::move(c) : draw(r, sizes);
}

void expect_all_equal(Random& r, Case& c) {
  Outcome want = run_kernel(conv_fast_reference(), c.run, &r);
  ASSERT_EQ(want.refusal, nullptr) << want.refusal << "; " << c.text;
  ASSERT_TRUE(want.status.ok()) << want.status.message();
  for (const HostKernel* k : runnable(conv_fast_kernels())) {
    Outcome got = run_kernel(*k, c.run, &r);
    ASSERT_EQ(got.refusal, nullptr) << k->name() << "; " << c.text;
    ASSERT_TRUE(got.status.ok()) << k->name() << ": " << got.status.message() << "; " << c.text;
    ASSERT_TRUE(same_bits(want.out[0], got.out[0])) << k->name() << "; " << c.text;
  }
}

TEST(Winograd, EqualsTheReferenceOnRandomShapes) {
  Random r(301);
  int in_tiles = 0;
  for (int i = 0; i < 60 && !HasFailure(); ++i) {
    Case c = draw(r, {50, 3, 19});
    expect_all_equal(r, c);
    const Dims out = run_kernel(conv_reference(), c.run, &r).out[0].view().dims;
    in_tiles += winograd_serves_plane(out[2], out[3]);
  }
  EXPECT_GE(in_tiles, 20);
}

TEST(Winograd, EqualsTheReferenceWithManyChannels) {
  Random r(302);
  for (int i = 0; i < 6 && !HasFailure(); ++i) {
    Case c = draw(r, {150, 9, 18});
    expect_all_equal(r, c);
  }
}

// A layer of `in` to `out` channels with pads of 1, on an input of these dims.
struct Layer {
  OperatorPtr op;
  testing::Run run;
  Layer(int64_t in, int64_t out, const Dims& src, Random& r) {
    Convolution::Attributes a;
    for (int i = 0; i < 2; ++i) a.pads_begin[i] = a.pads_end[i] = 1;
    op = *Convolution::make(a);
    run.op = op.get();
    run.in.emplace_back(DType::f32, src, Layout::channels_last);
    run.in.emplace_back(DType::f32, Dims{out, in, 3, 3});
    for (OwnedTensor& t : run.in) t.fill(r);
    run.out_layouts = {Layout::channels_last};
    run.constant_weights = true;
  }
  OwnedTensor output(const HostKernel& kernel, Random& r) {
    Outcome o = run_kernel(kernel, run, &r);
    EXPECT_EQ(o.refusal, nullptr) << o.refusal;
    EXPECT_TRUE(o.status.ok()) << o.status.message();
    return o.out[0];
  }
};
const HostKernel& best() { return *runnable(conv_fast_kernels()).front(); }

TEST(Winograd, ServesPlanesOfSomeTiles) {
  const std::array<int, 3> expected[] = {{1, 1, 0},  {1, 900, 0}, {3, 3, 0}, {7, 7, 0}, {2, 44, 0},
                                         {2, 52, 1}, {3, 40, 1},  {8, 8, 1}, {9, 9, 0}, {10, 10, 1}};
  for (const auto& [height, width, serves] : expected) {
    EXPECT_EQ(winograd_serves_plane(height, width), serves == 1) << height << " x " << width;
    EXPECT_EQ(winograd_serves_plane(width, height), serves == 1) << width << " x " << height;
  }
  EXPECT_FALSE(winograd_serves_plane(0, 40));
}

TEST(Winograd, EqualsTheReferenceForDeepLayersAndThinPlanes) {
  Random r(303);
  for (const auto& [in, out, y, x] : {std::array<int64_t, 4>{513, 130, 8, 8}, {300, 290, 7, 12}, {150, 150, 2, 50}, {600, 50, 3, 3}}) {
    Layer layer(in, out, {1, in, y, x}, r);
    layer.run.threads = 2;
    const OwnedTensor want = layer.output(conv_fast_reference(), r);
    for (const HostKernel* k : runnable(conv_fast_kernels())) EXPECT_TRUE(same_bits(want, layer.output(*k, r))) << k->name();
    if (!winograd_serves_plane(y, x)) {
      EXPECT_TRUE(same_bits(want, layer.output(conv_reference(), r)));
    }
  }
}

TEST(Winograd, ARowHasItsBitsInEveryBatchAndOnAnyThreads) {
  Random r(304);
  for (const auto& [in, out, side] : {std::array<int64_t, 3>{24, 40, 13}, {130, 100, 14}, {64, 64, 33}}) {
    Layer batch(in, out, {3, in, side, side + 2}, r);
    const OwnedTensor all = batch.output(best(), r);
    const int64_t inputs = in * side * (side + 2), outputs = out * side * (side + 2);
    for (const int threads : {1, 2, 5}) {
      batch.run.threads = threads;
      EXPECT_TRUE(same_bits(all, batch.output(best(), r))) << threads << " threads";
      for (int64_t n = 0; n < 3; ++n) {
        Layer alone(in, out, {1, in, side, side + 2}, r);
        alone.run.in[1] = batch.run.in[1];
        alone.run.threads = threads;
        std::vector<float> rows;
        batch.run.in[0].each([&](int64_t i, const std::byte* p) {
          if (i / inputs != n) return;
          rows.push_back(0);
          std::memcpy(&rows.back(), p, sizeof(float));
        });
        alone.run.in[0].each([&](int64_t i, std::byte* p) { std::memcpy(p, &rows[static_cast<size_t>(i)], sizeof(float)); });
        const OwnedTensor one = alone.output(best(), r);
        std::vector<float> want, got;
        const auto values = [](const OwnedTensor& t, std::vector<float>* to) {
          t.each([&](int64_t, const std::byte* p) {
            to->push_back(0);
            std::memcpy(&to->back(), p, sizeof(float));
          });
        };
        values(all, &want);
        values(one, &got);
        EXPECT_TRUE(std::equal(got.begin(), got.end(), want.begin() + n * outputs)) << "image " << n << ", " << threads << " threads";
      }
    }
  }
}

// Tests call f(n, m, y, x, value) for each output.
template <class F> void each_output(const OwnedTensor& t, F&& f) {
  const Dims& d = t.view().dims;
  t.each([&](int64_t i, const std::byte* p) {
    float v;
    std::memcpy(&v, p, sizeof v);
    f(i / d[3] / d[2] / d[1], i / d[3] / d[2] % d[1], i / d[3] % d[2], i % d[3], v);
  });
}
float element(const OwnedTensor& t, const Dims& at) {
  int64_t offset = 0;
  for (int a = 0; a < at.rank; ++a) offset += at[a] * t.view().strides[a];
  return t.view().as<const float>()[offset];
}
float* element(OwnedTensor& t, const Dims& at) {
  int64_t offset = 0;
  for (int a = 0; a < at.rank; ++a) offset += at[a] * t.view().strides[a];
  return t.view().as<float>() + offset;
}

// docs/numerics.md, section 1: the bound relative to what a tile reads. Checked for every `step`th output channel.
void expect_within_bound(Layer& layer, int64_t step, Random& r, const char* what) {
  const OwnedTensor &src = layer.run.in[0], &weights = layer.run.in[1];
  const Dims in = src.view().dims, w = weights.view().dims;
  const int64_t channels = w[1];
  constexpr int m = 4;
  ASSERT_TRUE(winograd_serves_plane(in[2], in[3]));
  const double n = static_cast<double>(std::min<int64_t>(channels, 128) + ceil_div(channels, 128));
  double worst = 0;
  each_output(layer.output(best(), r), [&](int64_t image, int64_t output, int64_t y, int64_t x, float got) {
    if (output % step != 0) return;
    double exact = 0, magnitude = 0, most = 0;
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t ky = 0; ky < 3; ++ky)
        for (int64_t kx = 0; kx < 3; ++kx) {
          const auto weight = static_cast<double>(element(weights, {output, c, ky, kx}));
          magnitude += std::fabs(weight);
          const int64_t iy = y + ky - 1, ix = x + kx - 1;
          if (iy >= 0 && iy < in[2] && ix >= 0 && ix < in[3]) exact += weight * static_cast<double>(element(src, {image, c, iy, ix}));
        }
      for (int64_t iy = y / m * m - 1; iy < y / m * m + m + 1; ++iy)
        for (int64_t ix = x / m * m - 1; ix < x / m * m + m + 1; ++ix)
          if (iy >= 0 && iy < in[2] && ix >= 0 && ix < in[3])
            most = std::max(most, std::fabs(static_cast<double>(element(src, {image, c, iy, ix}))));
    }
    const double bound = 188 * (n + 20) * 0x1p-24 * most * magnitude;
    ASSERT_LE(std::fabs(static_cast<double>(got) - exact), bound) << what << " at " << output << ", " << y << ", " << x;
    if (bound > 0) worst = std::max(worst, std::fabs(static_cast<double>(got) - exact) / bound);
  });
  // A bound that nothing comes near would say nothing.
  EXPECT_GT(worst, 1e-6) << what;
}

TEST(Winograd, ErrorsAreWithinTheWrittenBoundWithOutliersMasksAndZeros) {
  Random r(305);
  for (const auto& [in, out, side, step] : {std::array<int64_t, 4>{20, 17, 18, 1}, {140, 40, 12, 4}, {520, 90, 8, 8}}) {
    Layer layer(in, out, {1, in, side, side}, r);
    expect_within_bound(layer, step, r, "random numbers");
    *element(layer.run.in[0], {0, in / 2, side / 2, side / 3}) = 1e5f;
    *element(layer.run.in[0], {0, 0, 0, side - 1}) = -3e3f;
    expect_within_bound(layer, step, r, "outliers");
    for (int64_t y = 0; y < side; ++y)
      for (int64_t x = 0; x < side; ++x)
        for (int64_t c = 0; c < in; ++c)
          if (y > x) *element(layer.run.in[0], {0, c, y, x}) = y % 2 ? 0.f : 1e4f;
    expect_within_bound(layer, step, r, "a mask");
  }
}

TEST(Winograd, ZerosGiveZeros) {
  Random r(306);
  Layer layer(16, 16, {1, 16, 12, 12}, r);
  for (int64_t y = 0; y < 12; ++y)
    for (int64_t x = 0; x < 8; ++x)
      for (int64_t c = 0; c < 16; ++c) *element(layer.run.in[0], {0, c, y, x}) = 0.f;
  each_output(layer.output(best(), r), [&](int64_t, int64_t, int64_t, int64_t x, float v) {
    if (x < 3 || x >= 8) {
      EXPECT_EQ(v == 0.f, x < 3) << x;
    }
  });
}

TEST(Winograd, WhatIsNotFiniteReachesTheOutputsWhoseTapItIsAndNoOthers) {
  Random r(307);
  for (const float special : {INFINITY, -INFINITY, NAN, 3e38f}) {
    Layer layer(24, 24, {1, 24, 13, 14}, r);
    *element(layer.run.in[0], {0, 5, 6, 9}) = special;
    const OwnedTensor strict = layer.output(conv_reference(), r);
    for (const HostKernel* k : runnable(conv_fast_kernels()))
      each_output(layer.output(*k, r), [&](int64_t, int64_t m, int64_t y, int64_t x, float v) {
        const float want = element(strict, {0, m, y, x});
        const bool tap = std::abs(y - 6) <= 1 && std::abs(x - 9) <= 1;
        EXPECT_EQ(std::isfinite(v), std::isfinite(want)) << k->name() << " " << m << ", " << y << ", " << x;
        if (!tap && special != 3e38f) {
          EXPECT_NEAR(v, want, 1e-3f);
        }
        if (!std::isfinite(v)) {
          EXPECT_TRUE(v == want || (std::isnan(v) && std::isnan(want)));
        }
      });
  }
  // A weight, beside an input that is 0 in the padding alone.
  Layer layer(16, 16, {1, 16, 12, 12}, r);
  *element(layer.run.in[1], {3, 2, 0, 1}) = INFINITY;
  const OwnedTensor strict = layer.output(conv_reference(), r);
  for (const HostKernel* k : runnable(conv_fast_kernels()))
    each_output(layer.output(*k, r), [&](int64_t, int64_t m, int64_t y, int64_t x, float v) {
      EXPECT_EQ(std::isfinite(v), m != 3 || y == 0) << k->name();
      if (m == 3) {
        EXPECT_EQ(v, element(strict, {0, m, y, x})) << k->name();
      }
    });
}

TEST(Winograd, TheScratchOfAnyPlaneIsWithinTheBoundOfLargerDims) {
  Random r(310);
  for (int i = 0; i < 40 && !HasFailure(); ++i) {
    const int64_t in = r.integer(16, 300), out = r.integer(16, 300);
    const Dims large{r.integer(1, 4), in, r.integer(1, 60), r.integer(1, 60)};
    Layer layer(in, out, large, r);
    DimPool pool;
    std::vector<TensorType> types(2), result(1);
    const auto infer = [&](const Dims& src) {
      for (size_t t = 0; t < 2; ++t) {
        types[t] = {DType::f32, {}};
        for (const int64_t d : t == 0 ? src : layer.run.in[1].view().dims) types[t].dims.push_back(d);
      }
      result[0] = {};
      EXPECT_TRUE(layer.op->infer(pool, types, result).ok());
      return numbers(result[0].dims);
    };
    const Dims most = infer(large), weights = layer.run.in[1].view().dims;
    const Dims all[] = {large, weights};
    for (const HostKernel* k : conv_fast_kernels())
      for (const int threads : {1, 2, 7}) {
        const Problem problem{layer.op.get(), types, result, &layer.run.post_ops, {}, MathMode::strict, {1}};
        const int64_t bound = k->scratch_bound(problem, all, {&most, 1}, threads);
        for (int j = 0; j < 8; ++j) {
          const Dims small{r.integer(0, large[0]), in, r.integer(1, large[2]), r.integer(1, large[3])};
          TensorView views[2], output;
          views[0].dims = small;
          views[0].strides = dense_strides(small, channels_last(4));
          views[1].dims = weights;
          views[1].strides = dense_strides(weights);
          output.dims = infer(small);
          output.strides = dense_strides(output.dims, channels_last(4));
          const PackedWeights packed;
          Args args;
          args.op = layer.op.get();
          args.post_ops = &layer.run.post_ops;
          args.in = views;
          args.out = {&output, 1};
          args.weights = &packed;
          args.parallel = Parallel(threads);
          Plan plan;
          k->plan(args, &plan);
          EXPECT_LE(plan.scratch, bound) << k->name() << " " << threads << ": " << to_string(small) << " in " << to_string(large);
        }
      }
  }
}

TEST(Winograd, HaveTheGoldenBits) {
  Random r(308);
  const auto digest = [&](const HostKernel& kernel, int64_t in, int64_t out, const Dims& src) {
    Layer layer(in, out, src, r);
    fill_by_formula(layer.run.in[0], 1);
    fill_by_formula(layer.run.in[1], 2);
    return digest_of(layer.output(kernel, r));
  };
  for (const HostKernel* k : runnable(conv_fast_kernels())) {
    EXPECT_EQ(digest(*k, 40, 35, {2, 40, 13, 10}), 15742983337470133529u) << k->name();
    EXPECT_EQ(digest(*k, 514, 40, {1, 514, 8, 8}), 6332614816063556261u) << k->name();
  }
}

TEST(Winograd, AreRefusedForOtherKernelsStridesAndFewChannels) {
  Random r(309);
  const auto refusal = [&](const Convolution::Attributes& a, const Dims& weights, bool constant) {
    OperatorPtr op = *Convolution::make(a);
    testing::Run run;
    run.op = op.get();
    run.in.emplace_back(DType::f32, Dims{1, weights[1] * a.group, 30, 30}).fill(r);
    run.in.emplace_back(DType::f32, weights).fill(r);
    run.constant_weights = constant;
    const char* because = nullptr;
    for (const HostKernel* k : runnable(conv_fast_kernels())) {
      const char* const own = run_kernel(*k, run, &r).refusal;
      if (k == runnable(conv_fast_kernels()).front()) because = own;
      EXPECT_STREQ(own, because) << k->name();
    }
    return because;
  };
  Convolution::Attributes plain, strided, dilated, grouped;
  strided.strides[1] = 2;
  dilated.dilations[0] = 2;
  grouped.group = 2;
  EXPECT_EQ(refusal(plain, {16, 16, 3, 3}, true), nullptr);
  EXPECT_EQ(refusal(grouped, {32, 16, 3, 3}, true), nullptr);
  EXPECT_STREQ(refusal(plain, {16, 16, 3, 3}, false), "the weights are no constant");
  EXPECT_STREQ(refusal(plain, {16, 16, 3, 5}, true), "the kernel is not 3x3");
  EXPECT_STREQ(refusal(plain, {16, 16, 1, 1}, true), "the kernel is not 3x3");
  EXPECT_STREQ(refusal(strided, {16, 16, 3, 3}, true), "a stride or dilation is not 1");
  EXPECT_STREQ(refusal(dilated, {16, 16, 3, 3}, true), "a stride or dilation is not 1");
  EXPECT_STREQ(refusal(plain, {15, 16, 3, 3}, true), "a group has fewer than 16 channels or 16 outputs");
  EXPECT_STREQ(refusal(plain, {16, 15, 3, 3}, true), "a group has fewer than 16 channels or 16 outputs");
  EXPECT_STREQ(refusal(grouped, {16, 16, 3, 3}, true), "a group has fewer than 16 channels or 16 outputs");
}

}  // namespace
}  // namespace anydim::testing
