// SPDX-License-Identifier: Apache-2.0
// Denormals are counted by value, wherever the elements lie.
#include "core/tensor/denormals.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <limits>

namespace anydim {
namespace {

TEST(Denormals, AreNumbersBetweenZeroAndTheSmallestNormalOneOfEitherSign) {
  const float inf = std::numeric_limits<float>::infinity();
  float x[] = {
      0.f, -0.f, FLT_MIN, -FLT_MIN, FLT_TRUE_MIN, -FLT_TRUE_MIN, FLT_MIN / 2, 1.f, inf, -inf, std::numeric_limits<float>::quiet_NaN()};
  EXPECT_EQ(count_denormals({x, DType::f32, Dims{11}, Strides{1}}), 3);
  double y[] = {0., DBL_MIN, -DBL_MIN / 2, DBL_TRUE_MIN, 1e-40};
  EXPECT_EQ(count_denormals({y, DType::f64, Dims{5}, Strides{1}}), 2);
  EXPECT_EQ(count_denormals({x, DType::i32, Dims{11}, Strides{1}}), 0);
}

TEST(Denormals, OfAStridedTensorAreThoseOfItsElements) {
  float x[24];
  for (int i = 0; i < 24; ++i) x[i] = i % 4 < 3 ? 1.f : 1e-40f;  // what lies between the rows
  const auto view = [&](float* p, const Dims& d, const Strides& s) { return TensorView{p, DType::f32, d, s}; };
  EXPECT_EQ(count_denormals(view(x, Dims{2, 3, 3}, Strides{12, 4, 1})), 0);
  EXPECT_EQ(count_denormals(view(x, Dims{2, 3, 4}, Strides{12, 4, 1})), 6);
  EXPECT_EQ(count_denormals(view(x + 3, Dims{3, 2}, Strides{4, 12})), 6);
  EXPECT_EQ(count_denormals(view(x + 23, Dims{3}, Strides{-4})), 3);
  EXPECT_EQ(count_denormals(view(x, Dims{2, 0, 4}, Strides{0, 4, 1})), 0);
  EXPECT_EQ(count_denormals(view(x + 3, Dims{}, Strides{})), 1);
}

}  // namespace
}  // namespace anydim
