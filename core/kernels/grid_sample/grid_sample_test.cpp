// SPDX-License-Identifier: Apache-2.0
// GridSample: values that follow from the contract's words, in each padding; shapes, batches and strides change no bit.
#include "core/kernels/grid_sample/grid_sample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/kernels/testing/half.h"
#include "core/kernels/testing/harness.h"
#include "core/ops/operators/grid_sample.h"

namespace anydim {
namespace {

using Mode = GridSample::Mode;
using Padding = GridSample::Padding;

// A row of x sampled at these coordinates along its only axis.
std::vector<float> sampled(const GridSample::Attributes& a, std::vector<float> x, std::vector<float> grid) {
  const auto n = static_cast<int64_t>(x.size()), m = static_cast<int64_t>(grid.size());
  std::vector<float> y(grid.size(), -77.f);
  const auto view = [](std::vector<float>* v, Dims d) { return TensorView{v->data(), DType::f32, d, dense_strides(d)}; };
  const TensorView in[] = {view(&x, {1, 1, n}), view(&grid, {1, m, 1})}, out[] = {view(&y, {1, 1, m})};
  const OperatorPtr op = *GridSample::make(a);
  const PostOps none;
  Args args;
  args.op = op.get();
  args.post_ops = &none;
  args.in = in;
  args.out = out;
  Plan plan;
  const HostKernel& k = *grid_sample_kernels().back();
  k.plan(args, &plan);
  EXPECT_TRUE(k.run(plan, args).ok());
  return y;
}

using Values = std::vector<float>;

TEST(GridSample, TheEndsAreOuterEdgesOrTheCentresOfTheOutermostElements) {
  const Values x{1, 2, 4, 8}, ends{-1, -0.75f, 0, 0.75f, 1};
  EXPECT_EQ(sampled({Mode::linear, Padding::zeros, false}, x, ends), (Values{0.5f, 1, 3, 8, 4}));
  EXPECT_EQ(sampled({Mode::linear, Padding::border, false}, x, ends), (Values{1, 1, 3, 8, 8}));
  EXPECT_EQ(sampled({Mode::linear, Padding::reflection, false}, x, ends), (Values{1, 1, 3, 8, 8}));
  EXPECT_EQ(sampled({Mode::linear, Padding::zeros, true}, x, {-1, 0, 1}), (Values{1, 3, 8}));
}

TEST(GridSample, NearestTakesTheEvenPositionOfTwoThatAreEquallyNear) {
  // x = ((n + 1) * 4 - 1) / 2: 0.5, 1.5, 2.5, -0.5
  EXPECT_EQ(sampled({Mode::nearest, Padding::zeros, false}, {1, 2, 4, 8}, {-0.5f, 0, 0.5f, -1}), (Values{1, 4, 4, 1}));
}

TEST(GridSample, WhatLiesOutsideIsZeroTheEdgeOrMirrored) {
  const Values x{1, 2, 4, 8}, beyond{-1.5f, 1.5f, 2.5f, -9.f};  // positions -1.5, 4.5, 6.5, -16.5
  EXPECT_EQ(sampled({Mode::nearest, Padding::zeros, false}, x, beyond), (Values{0, 0, 0, 0}));
  EXPECT_EQ(sampled({Mode::nearest, Padding::border, false}, x, beyond), (Values{1, 8, 8, 1}));
  EXPECT_EQ(sampled({Mode::linear, Padding::reflection, false}, x, beyond), (Values{1.5f, 6, 1.5f, 1}));
}

TEST(GridSample, CoordinatesThatAreNoNumbersLieOutside) {
  const Values odd{NAN, INFINITY, -INFINITY};
  EXPECT_EQ(sampled({Mode::linear, Padding::zeros, false}, {3, 5}, odd), (Values{0, 0, 0}));
  EXPECT_EQ(sampled({Mode::cubic, Padding::border, false}, {3, 3}, odd), (Values{3, 3, 3}));
  EXPECT_EQ(sampled({Mode::linear, Padding::reflection, true}, {3}, odd), (Values{3, 3, 3}));  // a range of one point
}

TEST(GridSample, CubicWeightsAddUpAndMeetTheElements) {
  EXPECT_EQ(sampled({Mode::cubic, Padding::border, true}, {1, 2, 4, 8, 16}, {-1, -0.5f, 0, 0.5f, 1}), (Values{1, 2, 4, 8, 16}));
}

TEST(GridSample, EveryKernelHasTheReferencesBitsInAnyShapeAndLayout) {
  using testing::Layout;
  using testing::OwnedTensor;
  testing::Random r(4711);
  constexpr Layout kLayouts[] = {Layout::row_major, Layout::channels_last, Layout::permuted, Layout::padded_rows, Layout::reversed};
  const auto layout = [&] { return drawn(kLayouts, r); };
  for (int round = 0; round < 250; ++round) {
    const int axes = static_cast<int>(r.integer(1, 3));
    GridSample::Attributes a;
    a.mode = r.chance(0.3) ? Mode::nearest : r.chance(0.9) ? Mode::linear : Mode::cubic;
    a.padding = r.chance(0.5) ? Padding::zeros : r.chance(0.7) ? Padding::border : Padding::reflection;
    a.align_corners = r.chance(0.5);
    Dims x_dims{r.integer(1, 2), r.chance(0.5) ? r.integer(1, 4) : r.integer(5, 40)}, grid_dims{x_dims[0]};
    const bool within = r.chance(0.3);  // all points have their elements side by side
    for (int i = 0; i < axes; ++i) {
      x_dims.push_back(within ? r.integer(8, 20) : r.chance(0.03) ? 0 : r.integer(1, 9));
      grid_dims.push_back(r.integer(i + 1 == axes ? 0 : 1, axes == 1 ? 150 : 13));
    }
    grid_dims.push_back(axes);
    const DType dtype = a.mode == Mode::nearest && r.chance(0.3) ? DType::i32 : DType::f32;
    OwnedTensor x(dtype, x_dims), grid(DType::f32, grid_dims);
    x.fill(r, r.chance(0.3) ? 0.1 : 0.0);
    grid.fill(r, 0.02);
    if (within)
      grid.each([&](int64_t, std::byte* p) {
        const float v = static_cast<float>(r.integer(-700, 700)) / 1000;
        std::memcpy(p, &v, 4);
      });
    else if (r.chance(0.4))  // where elements and their middles are
      grid.each([&](int64_t, std::byte* p) {
        const float v = static_cast<float>(r.integer(-12, 12)) / 8;
        std::memcpy(p, &v, 4);
      });
    const OperatorPtr op = *GridSample::make(a);
    testing::Run run{op.get()};
    run.in = {x, grid};
    const testing::Outcome want = testing::run_kernel(*kGridSampleReference, run);
    ASSERT_TRUE(want.status.ok()) << want.status.message();
    for (const HostKernel* kernel : testing::runnable(grid_sample_kernels())) {
      run.in = {x.relaid(layout(), &r), grid.relaid(layout(), &r)};
      run.out_layouts = {layout()};
      run.threads = static_cast<int>(r.integer(1, 3));
      const testing::Outcome got = testing::run_kernel(*kernel, run, &r);
      if (got.refusal != nullptr) continue;
      ASSERT_TRUE(got.status.ok()) << got.status.message();
      ASSERT_TRUE(testing::same_bits(want.out[0], got.out[0])) << kernel->name() << ", round " << round << ": " << describe(*op) << " of "
                                                               << to_string(x_dims) << " at " << to_string(grid_dims);
    }
    if (a.mode == Mode::nearest) continue;
    run.in = {x.relaid(layout(), &r), grid.relaid(layout(), &r)};
    const bool taken = a.mode == Mode::linear && a.padding != Padding::reflection;
    const auto all = static_cast<int>(testing::runnable(grid_sample_kernels()).size()) - 1,
               by_taps = static_cast<int>(testing::runnable(grid_taps_list()).size());
    EXPECT_EQ(testing::expect_half_equals_reference(*kGridSampleReference, run, r), taken ? all : by_taps);
  }
}

TEST(GridSample, InputsThatLieBackwardsHaveTheSameBits) {
  testing::Random r(4712);
  for (int round = 0; round < 60; ++round) {
    GridSample::Attributes a;
    a.mode = r.one_of<Mode>(3);
    a.padding = r.one_of<Padding>(3);
    const Dims dims{1, r.integer(1, 3), r.integer(1, 5), r.integer(1, 40)}, grid_dims{1, r.integer(1, 3), r.integer(1, 20), 2};
    testing::OwnedTensor x(DType::f32, dims), grid(DType::f32, grid_dims);
    x.fill(r, 0.);
    grid.fill(r, 0.);
    const TensorView dense = x.view();
    const int64_t count = dense.count();
    std::vector<float> backwards(dense.as<const float>(), dense.as<const float>() + count);
    std::reverse(backwards.begin(), backwards.end());
    TensorView turned{backwards.data() + count - 1, DType::f32, dims, dense.strides};
    for (int i = 0; i < turned.strides.rank; ++i) turned.strides[i] = -turned.strides[i];
    const OperatorPtr op = *GridSample::make(a);
    const PostOps none;
    const auto run = [&](const HostKernel& k, const TensorView& input) {
      std::vector<float> y(static_cast<size_t>(dims[1] * grid_dims[1] * grid_dims[2]), -77.f);
      const Dims out_dims{1, dims[1], grid_dims[1], grid_dims[2]};
      const TensorView in[] = {input, grid.view()}, out[] = {{y.data(), DType::f32, out_dims, dense_strides(out_dims)}};
      Args args;
      args.op = op.get();
      args.post_ops = &none;
      args.in = in;
      args.out = out;
      Plan plan;
      k.plan(args, &plan);
      EXPECT_TRUE(k.run(plan, args).ok());
      return y;
    };
    const std::vector<float> want = run(*kGridSampleReference, dense);
    const TensorType types[] = {{DType::f32, {1, dims[1], dims[2], dims[3]}}, {DType::f32, {1, grid_dims[1], grid_dims[2], 2}}};
    const TensorType result{DType::f32, {1, dims[1], grid_dims[1], grid_dims[2]}};
    Problem problem;
    problem.op = op.get();
    problem.post_ops = &none;
    problem.in = types;
    problem.out = {&result, 1};
    for (const HostKernel* kernel : testing::runnable(grid_sample_kernels())) {
      if (!kernel->supports(problem)) continue;
      EXPECT_EQ(run(*kernel, turned), want) << kernel->name() << ", round " << round << ": " << describe(*op) << " of " << to_string(dims);
    }
  }
}

TEST(GridSample, NamesTheOperandThatDoesNotFit) {
  DimPool pool;
  TensorType out;
  const OperatorPtr op = *GridSample::make({});
  const auto message = [&](TensorType x, TensorType grid) {
    const TensorType in[] = {x, grid};
    return op->infer(pool, in, {&out, 1}).message();
  };
  const TensorType x{DType::f32, {2, 3, 4, 5}};
  EXPECT_EQ(message(x, {DType::f32, {2, 7, 8, 2}}), "");
  EXPECT_EQ(pool.text(out.dims), "[2, 3, 7, 8]");
  EXPECT_NE(message(x, {DType::f32, {2, 7, 8, 3}}).find("coordinates in grid"), std::string::npos);
  EXPECT_NE(message(x, {DType::f32, {1, 7, 8, 2}}).find("batches of grid and x"), std::string::npos);
  EXPECT_NE(message(x, {DType::i32, {2, 7, 8, 2}}).find("grid has dtype i32"), std::string::npos);
  EXPECT_NE(message({DType::i32, {2, 3, 4, 5}}, {DType::f32, {2, 7, 8, 2}}).find("but for mode nearest"), std::string::npos);
}

}  // namespace
}  // namespace anydim
