// SPDX-License-Identifier: Apache-2.0
// Narrow dtypes: values of their codes by hand, every code through a number and back, and the nearest code of every number.
#include "core/kernels/eltwise/narrow.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/kernels/eltwise/eltwise.h"
#include "core/kernels/testing/harness.h"
#include "core/ops/operators/bit_cast.h"
#include "core/ops/operators/cast.h"
#include "core/ops/operators/unary.h"

namespace anydim::testing {
namespace {

constexpr DType kFloats[] = {DType::f8e4m3fn, DType::f8e4m3fnuz, DType::f8e5m2, DType::f8e5m2fnuz, DType::f4e2m1};
const auto narrow_of = [](DType t, double x, NarrowRules rules = {}) { return static_cast<int>(float_to_narrow(t, x, rules)); };

TEST(Narrow, CodesMeanWhatTheFormatsSay) {
  EXPECT_EQ(narrow_to_float(DType::f8e4m3fn, 0x7e), 448.f);
  EXPECT_EQ(narrow_to_float(DType::f8e4m3fn, 0x01), 0x1p-9f);
  EXPECT_TRUE(std::isnan(narrow_to_float(DType::f8e4m3fn, 0xff)));
  EXPECT_EQ(narrow_to_float(DType::f8e4m3fnuz, 0x7f), 240.f);
  EXPECT_TRUE(std::isnan(narrow_to_float(DType::f8e4m3fnuz, 0x80)));
  EXPECT_EQ(narrow_to_float(DType::f8e5m2, 0x7b), 57344.f);
  EXPECT_EQ(narrow_to_float(DType::f8e5m2, 0xfc), -INFINITY);
  EXPECT_TRUE(std::isnan(narrow_to_float(DType::f8e5m2, 0x7d)));
  EXPECT_EQ(narrow_to_float(DType::f8e5m2fnuz, 0x7f), 57344.f);
  EXPECT_EQ(narrow_to_float(DType::f4e2m1, 0x7), 6.f);
  EXPECT_EQ(narrow_to_float(DType::f4e2m1, 0x9), -0.5f);
  EXPECT_EQ(narrow_to_float(DType::f8e8m0, 0), 0x1p-127f);
  EXPECT_EQ(narrow_to_float(DType::f8e8m0, 254), 0x1p127f);
  EXPECT_TRUE(std::isnan(narrow_to_float(DType::f8e8m0, 255)));
  EXPECT_EQ(narrow_to_float(DType::i4, 0x8), -8.f);
  EXPECT_EQ(narrow_to_float(DType::u4, 0xf), 15.f);
  EXPECT_EQ(narrow_to_float(DType::i2, 0x3), -1.f);
  EXPECT_EQ(narrow_to_float(DType::u2, 0x3), 3.f);
}

TEST(Narrow, EveryCodeComesBack) {
  for (const DType t : kFloats)
    for (int code = 0; code < 1 << narrow_bits(t); ++code) {
      const float x = narrow_to_float(t, static_cast<uint8_t>(code));
      const int back = narrow_of(t, static_cast<double>(x), {.overflows = true});
      if (std::isnan(x)) EXPECT_TRUE(std::isnan(narrow_to_float(t, static_cast<uint8_t>(back)))) << dtype_name(t) << " " << code;
      else EXPECT_EQ(back, code) << dtype_name(t);
    }
  for (int code = 0; code < 255; ++code)
    EXPECT_EQ(narrow_of(DType::f8e8m0, static_cast<double>(narrow_to_float(DType::f8e8m0, static_cast<uint8_t>(code)))), code);
}

TEST(Narrow, NumbersBecomeTheNearestCodeTiesToEven) {
  Random r(341);
  for (const DType t : kFloats)
    for (int i = 0; i < 3000; ++i) {
      const float x = r.flag() ? r.normal() * 8 : std::ldexp(static_cast<float>(r.integer(-40, 40)), static_cast<int>(r.integer(-20, 16)));
      const int got = narrow_of(t, static_cast<double>(x));
      int best = -1;
      double least = INFINITY;
      for (int code = 0; code < 1 << narrow_bits(t); ++code) {
        const auto y = static_cast<double>(narrow_to_float(t, static_cast<uint8_t>(code)));
        if (std::isnan(y) || std::isinf(y) || std::signbit(y) != std::signbit(x)) continue;
        const double away = std::fabs(y - static_cast<double>(x));
        if (away < least || (away == least && code % 2 == 0)) best = code, least = away;
      }
      // Without a negative zero what would become one is 0.
      if (best < 0 || narrow_to_float(t, static_cast<uint8_t>(got)) == 0)
        EXPECT_LE(std::fabs(x), narrow_to_float(t, 1) / 2) << dtype_name(t);
      else ASSERT_EQ(got, best) << dtype_name(t) << " " << x;
    }
}

TEST(Narrow, WhatLiesBeyondIsTheLargestOrOverflows) {
  EXPECT_EQ(narrow_of(DType::f8e4m3fn, 1e6), 0x7e);
  EXPECT_EQ(narrow_of(DType::f8e4m3fn, -INFINITY), 0xfe);
  EXPECT_EQ(narrow_of(DType::f8e4m3fn, -1e6, {.overflows = true}), 0xff);
  EXPECT_EQ(narrow_of(DType::f8e4m3fn, 464, {.overflows = true}), 0x7e);  // half way, to even
  EXPECT_EQ(narrow_of(DType::f8e4m3fn, 465, {.overflows = true}), 0x7f);
  EXPECT_EQ(narrow_of(DType::f8e5m2, INFINITY), 0x7b);
  EXPECT_EQ(narrow_of(DType::f8e5m2, 1e9, {.overflows = true}), 0x7c);
  EXPECT_EQ(narrow_of(DType::f8e5m2fnuz, 1e9, {.overflows = true}), 0x80);
  EXPECT_EQ(narrow_of(DType::f8e4m3fnuz, -1e-9), 0);
  EXPECT_EQ(narrow_of(DType::f4e2m1, 1e9, {.overflows = true}), 0x7);
  EXPECT_EQ(narrow_of(DType::f8e8m0, 1.1), 128);
  EXPECT_EQ(narrow_of(DType::f8e8m0, 1.1, {.rounding = PowerRounding::down}), 127);
  EXPECT_EQ(narrow_of(DType::f8e8m0, 1.5, {.rounding = PowerRounding::nearest}), 128);
  EXPECT_EQ(narrow_of(DType::f8e8m0, 1.4, {.rounding = PowerRounding::nearest}), 127);
  EXPECT_EQ(narrow_of(DType::f8e8m0, 3e38), 254);
  EXPECT_EQ(narrow_of(DType::f8e8m0, 3e38, {.overflows = true}), 255);
  EXPECT_EQ(narrow_of(DType::f8e8m0, INFINITY), 255);
  EXPECT_EQ(narrow_of(DType::f8e8m0, 0), 0);
}

Outcome cast(const OwnedTensor& x, const CastAttributes& a) {
  const OperatorPtr op = *Cast::make(CastAttributes(a));
  testing::Run run{op.get()};
  run.in = {x};
  return run_kernel(*kCastReference, run);
}

TEST(Narrow, CastsKeepTheLowestBitsOfWholeNumbers) {
  OwnedTensor x(DType::f32, {6});
  const float numbers[] = {-9, 7.9f, 16, -1, NAN, 1e30f};
  x.each([&](int64_t i, std::byte* p) { std::memcpy(p, &numbers[i], 4); });
  const Outcome o = cast(x, {.to = DType::i4});
  const int want[] = {7, 7, 0, 15, 0, 15};
  o.out[0].each([&](int64_t i, std::byte* p) { EXPECT_EQ(std::to_integer<int>(*p), want[i]) << i; });
  const Outcome back = cast(o.out[0], {.to = DType::i64});
  const int64_t whole[] = {7, 7, 0, -1, 0, -1};
  for (int64_t i = 0; i < 6; ++i) EXPECT_EQ(back.out[0].get<int64_t>(i), whole[i]);
}

TEST(Narrow, OnlyOperatorsThatMoveElementsTakeThem) {
  const TensorType x{DType::f8e5m2, {3, 4}};
  const OperatorPtr moves = *Cast::make(DType::f32), computes = *Unary::make(UnaryFunction::relu);
  EXPECT_TRUE(check_narrow(*moves, {&x, 1}).ok());
  const Status s = check_narrow(*computes, {&x, 1});
  EXPECT_EQ(s.code(), Code::unimplemented);
  EXPECT_EQ(s.message(), "unary: input 0 has dtype f8e5m2, which is stored and cast only");
}

TEST(BitCast, KeepsBitsAndRefusesOtherSizes) {
  OwnedTensor x(DType::f32, {2});
  const float numbers[] = {1, -NAN};
  x.each([&](int64_t i, std::byte* p) { std::memcpy(p, &numbers[i], 4); });
  const OperatorPtr op = *BitCast::make(DType::u32);
  testing::Run run{op.get()};
  run.in = {x};
  const Outcome o = run_kernel(*kBitCastReference, run);
  EXPECT_EQ(o.out[0].get<uint32_t>(0), 0x3f800000u);
  EXPECT_EQ(o.out[0].get<uint32_t>(1), __builtin_bit_cast(uint32_t, numbers[1]));
  DimPool pool;
  const TensorType in{DType::i4, {2}};
  TensorType out;
  EXPECT_TRUE((*BitCast::make(DType::u4))->infer(pool, {&in, 1}, {&out, 1}).ok());
  EXPECT_EQ((*BitCast::make(DType::u8))->infer(pool, {&in, 1}, {&out, 1}).message(),
            "bit_cast: i4 has 4 bits and u8 has 8; expected as many");
}

}  // namespace
}  // namespace anydim::testing
