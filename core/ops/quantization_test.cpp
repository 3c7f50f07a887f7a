// SPDX-License-Identifier: Apache-2.0
// What can be said of scales, zero points and the result's dtype, what is refused and why, and which axes they may follow. What is
// computed is core/kernels/quantized/quantization_test.cpp's.
#include "core/ops/quantization.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/ops/text.h"

namespace anydim {
namespace {

using From = Quantization::Factors::From;

OperatorPtr op_of(const char* text) {
  OperatorPtr op;
  EXPECT_TRUE(parse_operator(text, &op).ok()) << text;
  return op;
}

Quantization read(const char* words) {
  Quantization q;
  const Status s = parse_quantization(words, &q);
  EXPECT_TRUE(s.ok()) << s.message();
  return q;
}

TensorType type(DType t, std::initializer_list<int64_t> dims) {
  TensorType y{t, {}};
  for (const int64_t d : dims) y.dims.push_back(d);
  return y;
}

TEST(Quantization, HasATextThatReadsBack) {
  const Quantization q = read("result=u8 q0=0.02/128 q1=0.5;0.25@0/- q2=t/t@1");
  EXPECT_EQ(q.result, DType::u8);
  EXPECT_EQ(q.scale[0].values, std::vector<float>{0.02f});
  EXPECT_EQ(q.zero_point[0].values, std::vector<float>{128});
  EXPECT_EQ(q.scale[1].values, (std::vector<float>{0.5f, 0.25f}));
  EXPECT_EQ(q.scale[1].axis, 0);
  EXPECT_FALSE(q.zero_point[1].present());
  EXPECT_TRUE(q.scale[2].from == From::operand && q.zero_point[2].from == From::operand);
  EXPECT_EQ(q.zero_point[2].axis, 1);
  EXPECT_EQ(q.tensor_count(), 2);
  EXPECT_EQ(describe(q), "result=u8 q0=0.02/128 q1=0.5;0.25@0/- q2=t/t@1");
  EXPECT_EQ(describe(Quantization()), "");
  for (const char* wrong : {"q3=t/t", "q0=t", "q0=/", "q0=1;/2", "q0=1@/2", "q0=1@8/2", "q0=-@1/2", "result=x", "q0=1/2x", "q=1/2", "hello",
                            "q0=1/2 q0=3/4", "q0=t/- q0=-/t", "result=u8 result=i8"}) {
    Quantization none;
    EXPECT_FALSE(parse_quantization(wrong, &none).ok()) << wrong;
    EXPECT_EQ(none, Quantization()) << wrong;
  }
}

TEST(Quantization, ChoosesTheResultsDtypeWhereNoneIsAskedFor) {
  const OperatorPtr matmul = op_of("matmul");
  const auto result = [&](const char* words, DType a, DType b, DType c) {
    std::vector<TensorType> in{type(a, {4, 5}), type(b, {5, 6})};
    if (c != DType::none) in.push_back(type(c, {6}));
    DType to = DType::none;
    const Status s = read(words).check(*matmul, in, &to);
    EXPECT_TRUE(s.ok()) << s.message();
    return to;
  };
  EXPECT_EQ(result("q0=-/3", DType::u8, DType::i8, DType::none), DType::i32);
  EXPECT_EQ(result("q0=-/3", DType::u8, DType::u8, DType::i32), DType::i32);
  EXPECT_EQ(result("q0=-/3", DType::u8, DType::u8, DType::f32), DType::f32);
  EXPECT_EQ(result("q1=0.5/-", DType::i8, DType::i8, DType::i32), DType::f32);
  EXPECT_EQ(result("result=u8 q1=0.5/-", DType::i8, DType::i8, DType::i32), DType::u8);
  EXPECT_EQ(result("result=i8 q2=0.5/-3", DType::f32, DType::f32, DType::f32), DType::i8);
  EXPECT_EQ(result("result=f32", DType::bf16, DType::bf16, DType::none), DType::f32);
}

TEST(Quantization, RefusesWhatNoKernelCanCompute) {
  struct Case {
    const char *op, *words;
    std::vector<TensorType> in;
    Code code;
    const char* why;
  };
  const TensorType u8 = type(DType::u8, {4, 5}), i8 = type(DType::i8, {5, 6}), f32 = type(DType::f32, {4, 5}), f = type(DType::f32, {5, 6});
  const TensorType image = type(DType::u8, {1, 4, 7, 7}), kernel = type(DType::i8, {6, 4, 3, 3});
  const Case cases[] = {
      {"softmax axis=1", "result=u8", {f32}, Code::unimplemented, "softmax takes no scales"},
      {"matmul", "q0=1/-", {f32, f}, Code::invalid_argument, "input 0 has a scale; its dtype is f32"},
      {"matmul", "q2=1/-", {u8, i8}, Code::invalid_argument, "the result has a scale; its dtype is i32"},
      {"matmul", "result=i8", {u8, f}, Code::unimplemented, "inputs 0 and 1 are u8 and f32"},
      {"matmul", "result=i8", {f32, type(DType::f16, {5, 6})}, Code::unimplemented, "inputs 0 and 1 are f32 and f16"},
      {"matmul", "result=i8", {type(DType::f64, {4, 5}), type(DType::f64, {5, 6})}, Code::unimplemented, "f64"},
      {"matmul", "result=f64", {f32, f}, Code::unimplemented, "the result's dtype is f64"},
      {"matmul", "q0=1/-", {u8, i8, type(DType::f16, {6})}, Code::unimplemented, "input 2 is f16; expected i32 or f32"},
      {"matmul alpha=2", "q0=1/-", {u8, i8}, Code::unimplemented, "alpha is 2"},
      {"matmul", "q0=0/-", {u8, i8}, Code::invalid_argument, "a scale of 0"},
      {"matmul", "q0=-1/-", {u8, i8}, Code::invalid_argument, "a scale of -1"},
      {"matmul", "q0=inf/-", {u8, i8}, Code::invalid_argument, "a scale of inf"},
      {"matmul", "q0=nan/-", {u8, i8}, Code::invalid_argument, "a scale of nan"},
      {"matmul", "q0=1/-1", {u8, i8}, Code::invalid_argument, "input 0 has a zero point of -1; expected 0 to 255"},
      {"matmul", "q1=1/128", {u8, i8}, Code::invalid_argument, "input 1 has a zero point of 128; expected -128 to 127"},
      {"matmul", "q0=1;2/-", {u8, i8}, Code::invalid_argument, "input 0 has 2 scales for the whole tensor"},
      {"matmul", "q0=t@1/-", {u8, i8}, Code::unimplemented, "input 0 has scales or zero points along axis 1"},
      {"matmul", "q1=t@0/-", {u8, i8}, Code::unimplemented, "input 1 has scales or zero points along axis 0"},
      {"matmul", "q1=t@2/-", {u8, i8}, Code::invalid_argument, "axis 2; its rank is 2"},
      {"convolution strides=1,1 pads_begin=0,0 pads_end=0,0 group=1", "q0=t@1/-", {image, kernel}, Code::unimplemented, "along axis 1"},
      {"convolution strides=1,1 pads_begin=0,0 pads_end=0,0 group=1", "q1=-/t@2", {image, kernel}, Code::unimplemented, "along axis 2"},
      {"conv_transpose strides=1,1 pads_begin=0,0 pads_end=0,0 group=2", "q1=t@1/-", {image, kernel}, Code::unimplemented, "along axis 1"},
  };
  for (const Case& c : cases) {
    DType to = DType::none;
    const Status s = read(c.words).check(*op_of(c.op), c.in, &to);
    EXPECT_EQ(s.code(), c.code) << c.op << " " << c.words << ": " << s.message();
    EXPECT_NE(s.message().find(c.why), std::string::npos) << s.message();
    EXPECT_EQ(to, DType::none);
  }
}

TEST(Quantization, FollowsTheAxesThatTheSumDoesNotRunAlong) {
  const auto axis = [](const char* op, int operand, int axis, int a, int b, int rank) {
    return Quantization::axis_of_result(*op_of(op), operand, axis, a, b, rank);
  };
  EXPECT_EQ(axis("matmul", 0, 1, 3, 3, 3), 1);
  EXPECT_EQ(axis("matmul", 0, 2, 3, 3, 3), -1);
  EXPECT_EQ(axis("matmul", 0, 0, 3, 3, 3), -1) << "a batch axis";
  EXPECT_EQ(axis("matmul transpose_a=1", 0, 1, 2, 2, 2), 0);
  EXPECT_EQ(axis("matmul transpose_a=1", 0, 0, 2, 2, 2), -1);
  EXPECT_EQ(axis("matmul", 1, 1, 2, 2, 2), 1);
  EXPECT_EQ(axis("matmul transpose_b=1", 1, 0, 2, 2, 2), 1);
  EXPECT_EQ(axis("matmul", 0, 0, 2, 1, 1), 0) << "rows of a matrix times a vector";
  EXPECT_EQ(axis("matmul", 1, 1, 1, 2, 1), 0) << "columns of a vector times a matrix";
  EXPECT_EQ(axis("matmul", 1, 0, 2, 1, 1), -1);
  EXPECT_EQ(axis("convolution", 1, 0, 4, 4, 4), 1);
  EXPECT_EQ(axis("convolution", 0, 0, 4, 4, 4), 0);
  EXPECT_EQ(axis("conv_transpose", 1, 1, 4, 4, 4), 1);
  EXPECT_EQ(axis("conv_transpose", 1, 0, 4, 4, 4), -1);
  EXPECT_EQ(axis("convolution", Quantization::kResult, 3, 4, 4, 4), 3);
}

}  // namespace
}  // namespace anydim
