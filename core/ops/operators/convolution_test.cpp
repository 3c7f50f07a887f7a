// SPDX-License-Identifier: Apache-2.0
// Shape rules and paddings of convolution and transposed convolution, for numbers and for symbols.
#include "core/ops/operators/convolution.h"

#include <gtest/gtest.h>

#include "core/ops/operators/conv_transpose.h"

namespace anydim {
namespace {

TensorType f32(std::initializer_list<Dim> dims) {
  TensorType t;
  t.dtype = DType::f32;
  for (Dim d : dims) t.dims.push_back(d);
  return t;
}

Convolution::Attributes same3x3(int64_t stride, AutoPad pad) {
  Convolution::Attributes a;
  a.strides[0] = a.strides[1] = stride;
  a.auto_pad = pad;
  return a;
}

std::string shape(const OperatorPtr& op, std::vector<TensorType> in) {
  DimPool pool;
  TensorType out;
  const Status s = op->infer(pool, in, {&out, 1});
  return s.ok() ? pool.text(out.dims) : s.message();
}

TEST(Convolution, ComputesExplicitPadding) {
  Convolution::Attributes a;
  a.strides[0] = 2;
  a.dilations[1] = 2;
  a.pads_begin[0] = 1;
  a.pads_end[1] = 3;
  EXPECT_EQ(shape(*Convolution::make(a), {f32({2, 6, 9, 10}), f32({4, 6, 3, 3}), f32({4})}), "[2, 4, 4, 9]");
}

TEST(Convolution, GivesNoPositionsWhereTheWindowFitsNowhere) {
  EXPECT_EQ(shape(*Convolution::make({}), {f32({1, 1, 2, 5}), f32({1, 1, 5, 5})}), "[1, 1, 0, 1]");
}

TEST(Convolution, SamePaddingFollowsFromTheActualDims) {
  DimPool pool;
  const Dim h = pool.symbol("h", {1, 4096}), w = pool.symbol("w", {1, 4096});
  const OperatorPtr op = *Convolution::make(same3x3(2, AutoPad::same_upper));
  TensorType out;
  const TensorType in[] = {f32({1, 3, h, w}), f32({8, 3, 3, 3})};
  ASSERT_TRUE(op->infer(pool, in, {&out, 1}).ok());
  EXPECT_EQ(out.dims[2], pool.ceil_div(h, 2));
  const auto* upper = as<Convolution>(*op);
  EXPECT_EQ(upper->pad_begin(0, 8, 3), 0);  // one position of padding: at the end
  EXPECT_EQ(upper->pad_begin(0, 9, 3), 1);  // two: one at each end
  const OperatorPtr lower = *Convolution::make(same3x3(2, AutoPad::same_lower));
  EXPECT_EQ(as<Convolution>(*lower)->pad_begin(0, 8, 3), 1);
}

TEST(Convolution, NamesTheInputThatDoesNotFit) {
  const OperatorPtr op = *Convolution::make({});
  EXPECT_NE(shape(op, {f32({1, 5, 4, 4}), f32({1, 3, 3, 3})}).find("src has 5 channels"), std::string::npos);
  EXPECT_NE(shape(op, {f32({1, 3, 4}), f32({1, 3, 3, 3})}).find("rank 3"), std::string::npos);
  EXPECT_NE(shape(op, {f32({1, 3, 4, 4}), f32({2, 3, 3, 3}), f32({5})}).find("bias"), std::string::npos);
  Convolution::Attributes a;
  a.strides[1] = 0;
  EXPECT_NE(Convolution::make(a).status().message().find("strides[1] is 0"), std::string::npos);
  a = {};
  a.group = 2;
  EXPECT_NE(shape(*Convolution::make(a), {f32({1, 4, 4, 4}), f32({3, 2, 1, 1})}).find("multiple of group"), std::string::npos);
}

TEST(ConvTranspose, ComputesOutputPaddingAndGroups) {
  ConvTranspose::Attributes a;
  a.strides[0] = a.strides[1] = 3;
  a.output_padding[0] = 2;
  a.pads_begin[1] = 1;
  a.group = 2;
  // 3 * (4 - 1) + 2 + 3; 3 * (5 - 1) + 3 - 1
  EXPECT_EQ(shape(*ConvTranspose::make(a), {f32({1, 6, 4, 5}), f32({6, 4, 3, 3})}), "[1, 8, 14, 14]");
}

TEST(ConvTranspose, SplitsThePaddingThatAnOutputShapeAsksFor) {
  ConvTranspose::Attributes a;
  a.strides[0] = a.strides[1] = 3;
  a.output_shape = {10, 8};
  const OperatorPtr op = *ConvTranspose::make(a);
  EXPECT_EQ(shape(op, {f32({1, 1, 4, 3}), f32({1, 1, 4, 4})}), "[1, 1, 10, 8]");
  // 3 * 3 + 4 - 10 = 3 positions too many: two at the beginning, but one for same_upper.
  EXPECT_EQ(as<ConvTranspose>(*op)->pad_begin(0, 4, 4), 2);
  a.auto_pad = AutoPad::same_upper;
  EXPECT_EQ(as<ConvTranspose>(**ConvTranspose::make(a))->pad_begin(0, 4, 4), 1);
}

TEST(ConvTranspose, MultipliesTheInputByTheStrideForSamePadding) {
  ConvTranspose::Attributes a;
  a.strides[0] = a.strides[1] = 2;
  a.auto_pad = AutoPad::same_upper;
  EXPECT_EQ(shape(*ConvTranspose::make(a), {f32({1, 1, 3, 5}), f32({1, 2, 3, 3})}), "[1, 2, 6, 10]");
}

TEST(ConvTranspose, RefusesOutputPaddingAsLargeAsStrideAndDilation) {
  ConvTranspose::Attributes a;
  a.output_padding[0] = 1;
  EXPECT_NE(ConvTranspose::make(a).status().message().find("output_padding[0] is 1"), std::string::npos);
}

}  // namespace
}  // namespace anydim
