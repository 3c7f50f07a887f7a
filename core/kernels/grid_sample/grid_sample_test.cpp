// SPDX-License-Identifier: Apache-2.0
// GridSample: values that follow from the contract's words, in each padding; shapes, batches and strides change no bit.
#include "core/kernels/grid_sample/grid_sample.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/kernels/testing/harness.h"
#include "core/ops/grid_sample.h"

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
