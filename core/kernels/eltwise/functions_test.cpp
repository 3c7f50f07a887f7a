// SPDX-License-Identifier: Apache-2.0
// The element-wise functions against binary64 and long double mathematics, with the bounds that functions.inl.h
// states, over dense grids of bit patterns and the special values. The scalar instance is tested here; that the
// vector instances have its bits is the kernels' test.
#include "core/kernels/eltwise/functions.h"
#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/simd/portable.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <functional>
#include <random>

namespace anydim {
namespace {

using namespace portable;
using Scalar = PortableF32<1>;
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

float call(UnaryFunction f, float x, float alpha = 0.f, float beta = 0.f) {
  Scalar v = Scalar::set(x);
  apply(f, alpha, beta, &v, 1);
  return v.v[0];
}
float call(BinaryFunction f, float a, float b) {
  Scalar v = Scalar::set(a), w = Scalar::set(b);
  apply(f, &v, &w, 1);
  return v.v[0];
}

// Distance in units of the last place of the exact value's binade, denormals with their own spacing.
double ulps(float found, long double exact) {
  if (std::isnan(exact)) return std::isnan(found) ? 0.0 : 1e9;
  const float nearest = static_cast<float>(exact);
  if (std::isinf(nearest)) return found == nearest ? 0.0 : std::isinf(found) ? 1e9 : 1.0;
  if (std::isinf(found) || std::isnan(found)) return std::isinf(found) && std::fabs(nearest) > 3.4028e38f ? 1.0 : 1e9;
  const int e = nearest == 0.f ? -126 : std::max(-126, std::ilogb(nearest));
  return static_cast<double>(std::fabs(static_cast<long double>(found) - exact) / std::ldexp(1.0L, e - 23));
}

// Every step-th bit pattern of the floats of both signs in [lo, hi]; `step` is odd so that low bits vary.
template <class F> void over(float lo, float hi, uint32_t step, F&& f) {
  for (uint64_t b = 0; b < 0x7f800000u; b += step) {
    const float x = unword(static_cast<uint32_t>(b));
    if (x >= lo && x <= hi) f(x);
    if (-x >= lo && -x <= hi) f(-x);
  }
}

double worst(UnaryFunction f, float lo, float hi, const std::function<long double(long double)>& exact, float alpha = 0.f, float beta = 0.f,
             uint32_t step = 2003) {
  double m = 0;
  float at = 0;
  over(lo, hi, step, [&](float x) {
    const double e = ulps(call(f, x, alpha, beta), exact(x));
    if (e > m) m = e, at = x;
  });
  std::printf("    %-12s [%g, %g]: %.3f ulp at %a\n", function_name(f), lo, hi, m, at);
  return m;
}

using U = UnaryFunction;
using B = BinaryFunction;
long double sigmoid_exact(long double x) { return 1.0L / (1.0L + std::exp(-x)); }

TEST(Functions, ExponentialAndLogarithmAreWithinOneUlp) {
  EXPECT_LT(worst(U::exp, kExpLow, 100.f, [](long double x) { return std::exp(x); }), 1.01);
  EXPECT_LT(worst(U::log, 0.f, 3.4e38f, [](long double x) { return std::log(x); }), 1.01);
  EXPECT_LT(worst(
                U::elu, -200.f, 0.f, [](long double x) { return std::expm1(x); }, 1.f),
            2.0);
}

TEST(Functions, ExponentialsAreZeroWhereTheyWouldBeSmallerThanTheSmallestNormalNumber) {
  constexpr float kLeast = std::numeric_limits<float>::min();
  EXPECT_GE(std::exp(static_cast<long double>(kExpLow)), kLeast);
  EXPECT_LT(std::exp(static_cast<long double>(std::nextafter(kExpLow, -kInf))), kLeast);
  for (U f : {U::exp, U::sigmoid}) {
    EXPECT_GE(call(f, kExpLow), kLeast) << function_name(f);
    EXPECT_EQ(word(call(f, std::nextafter(kExpLow, -kInf))), word(0.f)) << function_name(f);
    over(-200.f, kExpLow, 97,
         [&](float x) { EXPECT_EQ(word(call(f, x)), word(x < kExpLow ? 0.f : call(f, kExpLow))) << function_name(f) << " of " << x; });
  }
  for (U f : {U::exp, U::sigmoid, U::silu, U::softplus, U::mish, U::gelu_erf, U::gelu_tanh, U::elu, U::tanh, U::erf})
    over(-200.f, 1.f, 4001, [&](float x) {
      const float y = call(f, x, 1.f);
      EXPECT_TRUE(std::fabs(x) < 1.f || y == 0.f || std::isnormal(y)) << function_name(f) << " of " << x << " is " << y;
    });
}

TEST(Functions, TheExponentialOfSmallNumbersHasTheBitsOfTheOther) {
  const auto same = [](float x) {
    const float a = exp_of_small(Scalar::set(x)).v[0], b = exp_in_range(Scalar::set(x)).v[0];
    return std::memcmp(&a, &b, sizeof a) == 0;
  };
  for (float x = kExpLow; x < -87.3f; x = std::nextafter(x, 0.f)) ASSERT_TRUE(same(x)) << x;  // around the smallest result
  for (double x = kExpLow; x <= 88.0; x += 1.0 / 16384) ASSERT_TRUE(same(static_cast<float>(x))) << x;
  EXPECT_TRUE(std::isnan(exp_of_small(Scalar::set(NAN)).v[0]));
}

TEST(Functions, SigmoidFamilyKeepsItsBounds) {
  EXPECT_LT(worst(U::sigmoid, kExpLow, 1e30f, sigmoid_exact), 2.5);
  EXPECT_LT(worst(U::silu, -87.f, 1e30f, [](long double x) { return x * sigmoid_exact(x); }), 3.0);
  EXPECT_LT(worst(U::tanh, -1e30f, 1e30f, [](long double x) { return std::tanh(x); }), 2.0);
  EXPECT_LT(worst(U::erf, -1e30f, 1e30f, [](long double x) { return std::erf(x); }), 2.0);
  EXPECT_LT(worst(U::softplus, -87.f, 1e30f, [](long double x) { return std::log1p(std::exp(-std::fabs(x))) + std::max(x, 0.0L); }), 3.0);
  EXPECT_LT(
      worst(U::mish, -80.f, 1e30f, [](long double x) { return x * std::tanh(std::log1p(std::exp(-std::fabs(x))) + std::max(x, 0.0L)); }),
      4.0);
  EXPECT_LT(worst(U::softsign, -1e38f, 1e38f, [](long double x) { return x / (1.0L + std::fabs(x)); }), 1.5);
  EXPECT_LT(worst(
                U::quick_gelu, -40.f, 1e30f, [](long double x) { return x * sigmoid_exact(1.702f * x); }, 1.702f),
            80.0);
  EXPECT_LT(worst(
                U::scaled_tanh, -1e30f, 1e30f, [](long double x) { return 1.5L * std::tanh(0.5L * x); }, 1.5f, 0.5f),
            2.5);
}

// By the definition: the 16-bit float of even bits nearest to x. Infinity counts as the one behind the largest.
TEST(Functions, RoundingsTo16BitsGiveTheNearestOfTheirNumbers) {
  struct Case {
    U f;
    float (*widened)(uint16_t);
    uint16_t infinity;
    double behind_largest;
  };
  for (const Case& c : {Case{U::round_f16, f16_to_f32, 0x7c00, 65536.0}, Case{U::round_bf16, bf16_to_f32, 0x7f80, 0x1p128}}) {
    const auto number = [&](uint16_t w) { return w == c.infinity ? c.behind_largest : static_cast<double>(c.widened(w)); };
    const auto check = [&](float x) {
      const double a = std::fabs(static_cast<double>(x));
      uint16_t low = 0, high = c.infinity;
      while (high - low > 1) {
        const auto middle = static_cast<uint16_t>((low + high) / 2);
        (number(middle) <= a ? low : high) = middle;
      }
      const double below = a - number(low), above = number(high) - a;
      const bool up = a >= number(high) || above < below || (above == below && low % 2 != 0);
      const float nearest = c.widened(up ? high : low);
      ASSERT_EQ(word(call(c.f, x)), word(std::signbit(x) ? -nearest : nearest)) << function_name(c.f) << " of " << std::hexfloat << x;
    };
    for (uint16_t w = 0; w < c.infinity; ++w) {  // each number, the middle between it and the next, and their neighbours
      const auto x = c.widened(w);
      const auto middle = static_cast<float>((number(w) + number(static_cast<uint16_t>(w + 1))) / 2);
      for (float at : {x, middle})
        for (float near : {std::nextafter(at, -kInf), at, std::nextafter(at, kInf)}) check(near), check(-near);
    }
    check(kInf), check(-kInf), check(0.f), check(-0.f);
    const float nan = call(c.f, unword(0xffa00001u));
    EXPECT_TRUE(std::isnan(nan) && std::signbit(nan));
    EXPECT_EQ(word(nan) & 0x00400000u, 0x00400000u) << "it is quiet";
  }
}

TEST(Functions, GeluFadesOutOnTheNegativeSide) {
  double at_4 = 0, at_9 = 0;
  over(-9.f, -0.5f, 97, [&](float x) {
    const long double exact = 0.5L * x * std::erfc(-x * 0.70710678118654752440L);
    const double error = static_cast<double>(std::fabs(call(U::gelu_erf, x) / exact - 1.0L));
    (x > -4.f ? at_4 : at_9) = std::max(x > -4.f ? at_4 : at_9, error);
  });
  EXPECT_LT(at_4, 2e-3);
  EXPECT_LT(at_9, 0.2);
  for (const float x : {-14.f, -20.f, -1000.f, -3e38f}) EXPECT_LE(std::fabs(call(U::gelu_erf, x)), 1e-40f) << x;
  EXPECT_EQ(word(call(U::gelu_erf, -3e38f)), word(0.f));
  EXPECT_EQ(word(call(U::gelu_erf, -0.f)), word(-0.f));
  EXPECT_EQ(call(U::gelu_erf, 3e38f), 3e38f);
}

TEST(Functions, GeluIsWithinItsAbsoluteBound) {
  double m = 0, n = 0;
  over(-30.f, 30.f, 997, [&](float x) {
    const long double scale = std::max(1.0L, static_cast<long double>(std::fabs(x)));
    const long double e = 0.5L * x * (1.0L + std::erf(x * 0.70710678118654752440L));
    const long double t = 0.5L * x * (1.0L + std::tanh(0.79788456080286535588L * (x + 0.044715L * x * x * x)));
    m = std::max(m, static_cast<double>(std::fabs(call(U::gelu_erf, x) - e) / scale));
    n = std::max(n, static_cast<double>(std::fabs(call(U::gelu_tanh, x) - t) / scale));
  });
  std::printf("    gelu_erf %.3g, gelu_tanh %.3g\n", m, n);
  EXPECT_LT(m, 1.2e-7);
  EXPECT_LT(n, 3e-7);
}

TEST(Functions, ArcsAreWithinTheirBounds) {
  EXPECT_LT(worst(U::asin, -1.1f, 1.1f, [](long double x) { return std::asin(x); }), 0.7);
  EXPECT_LT(worst(U::acos, -1.1f, 1.1f, [](long double x) { return std::acos(x); }), 0.7);
  EXPECT_LT(worst(U::atan, -3.4e38f, 3.4e38f, [](long double x) { return std::atan(x); }), 1.2);
  EXPECT_EQ(word(call(U::asin, -0.f)), word(-0.f));
  EXPECT_EQ(word(call(U::atan, -0.f)), word(-0.f));
  EXPECT_EQ(word(call(U::acos, 1.f)), word(0.f));
  EXPECT_EQ(call(U::acos, -1.f), 3.14159274f);
  EXPECT_EQ(call(U::asin, 1.f), 1.57079637f);
  for (const U f : {U::asin, U::acos})
    for (const float x : {std::nextafter(1.f, 2.f), -2.f, kInf, -kInf, kNaN}) EXPECT_TRUE(std::isnan(call(f, x))) << function_name(f) << x;
}

TEST(Functions, RareFunctionsAreTheNearestFloatButForNearTies) {
  struct Case {
    U f;
    float lo, hi;
    long double (*exact)(long double);
  };
  const Case cases[] = {
      {U::sin, -3.4e38f, 3.4e38f, [](long double x) { return std::sin(x); }},
      {U::cos, -3.4e38f, 3.4e38f, [](long double x) { return std::cos(x); }},
      {U::tan, -3.4e38f, 3.4e38f, [](long double x) { return std::tan(x); }},
      {U::sinh, -100.f, 100.f, [](long double x) { return std::sinh(x); }},
      {U::cosh, -100.f, 100.f, [](long double x) { return std::cosh(x); }},
      {U::asinh, -3.4e38f, 3.4e38f, [](long double x) { return std::asinh(x); }},
      {U::acosh, -1.f, 3.4e38f, [](long double x) { return std::acosh(x); }},
      {U::atanh, -1.1f, 1.1f, [](long double x) { return std::atanh(x); }},
  };
  for (const Case& c : cases) EXPECT_LT(worst(c.f, c.lo, c.hi, c.exact, 0, 0, 40009), 0.5001) << function_name(c.f);
}

TEST(Functions, PowerIsTheNearestFloatButForNearTiesAndFollowsIeeeAtTheEdges) {
  double m = 0;
  for (uint32_t b = 0x00400000u; b < 0x7f800000u; b += 9000011)
    for (float y : {-3.f, -1.f, -0.5f, 0.3f, 0.5f, 1.f, 1.5f, 2.f, 3.f, 7.f, 11.25f, 63.f, 100.f})
      m = std::max(m, ulps(call(B::pow, unword(b), y), std::pow(static_cast<long double>(unword(b)), static_cast<long double>(y))));
  std::printf("    pow %.4f ulp\n", m);
  EXPECT_LT(m, 0.5001);
  const float values[] = {0.f, -0.f, 1.f, -1.f, 2.f, -2.f, 3.f, -3.f, 0.5f, -0.5f, 1e38f, -1e38f, kInf, -kInf, kNaN, 16777217.f};
  for (float a : values)
    for (float b : values) {
      const float found = call(B::pow, a, b), expected = static_cast<float>(std::pow(static_cast<double>(a), static_cast<double>(b)));
      EXPECT_TRUE(std::isnan(expected) ? std::isnan(found) : word(found) == word(expected)) << a << " " << b;
    }
}

// Any NaN is as good as any other.
bool same_or_nan(float a, float b) { return word(a) == word(b) || (a != a && b != b); }

// The vector kernels do not call the scalar pow but where it has special cases.
TEST(Functions, PowerInVectorsHasTheBitsOfTheScalar) {
  std::mt19937 random(7);
  const float exponents[] = {-64.f, -3.f, -0.5f, 0.f, 0.25f, 0.5f, 0.75f, 1.f, 1.5f, 2.f, 3.f, 5.f, 64.f, 65.f, -1e9f, kInf, kNaN};
  const float bases[] = {0.f, -0.f, 1.f, -1.f, 1e-45f, -1e-45f, 3.4e38f, kInf, -kInf, kNaN};
  for (int i = 0; i < 400000; ++i) {
    float a[8], b[8];
    for (int k = 0; k < 8; ++k) {
      a[k] = i % 4 == 0 && k % 3 == 0 ? bases[random() % std::size(bases)] : unword(static_cast<uint32_t>(random()));
      if (i % 2 == 0) a[k] = std::fabs(a[k]);
      b[k] = i % 8 < 5 ? exponents[static_cast<size_t>(i / 8) % std::size(exponents)]
                       : 200.f * static_cast<float>(random()) / 4294967296.f - 100.f;
      if (i % 8 == 4 && k == 5) b[k] = 0.3f;
    }
    F32 x = F32::load(a);
    const F32 y = F32::load(b);
    apply(B::pow, &x, &y, 1);
    for (int k = 0; k < 8; ++k)
      ASSERT_TRUE(same_or_nan(x.v[k], call(B::pow, a[k], b[k]))) << "pow(" << a[k] << ", " << b[k] << ") in lane " << k;
  }
}

TEST(Functions, AnglesInVectorsHaveTheBitsOfTheScalar) {
  std::mt19937 random(8);
  const float special[] = {
      0.f,    -0.f,    1.f,    -1.f,    std::nextafter(1.f, 2.f),     0.41421357f, 0.7f,    -0.7f, std::nextafter(0.7f, 0.f),
      1e-45f, -1e-45f, 1e-38f, 0x1p20f, std::nextafter(0x1p20f, 0.f), -0x1p20f,    3.4e38f, kInf,  -kInf,
      kNaN};
  const float widths[] = {1.f, 8.f, 1e3f, 1e6f, 2e6f};
  for (int i = 0; i < 400000; ++i) {
    float a[8];
    for (int k = 0; k < 8; ++k) {
      const float unit = static_cast<float>(random()) / 2147483648.f - 1.f;
      a[k] = i % 2 == 0                 ? widths[i / 2 % std::size(widths)] * unit
             : i % 4 == 1 && k % 3 == 0 ? special[random() % std::size(special)]
                                        : unword(static_cast<uint32_t>(random()));
    }
    for (const U f : {U::sin, U::cos, U::asin, U::acos, U::atan}) {
      F32 x = F32::load(a);
      apply(f, 0.f, 0.f, &x, 1);
      for (int k = 0; k < 8; ++k) ASSERT_TRUE(same_or_nan(x.v[k], call(f, a[k]))) << function_name(f) << "(" << a[k] << ") in lane " << k;
    }
  }
}

TEST(Functions, NoFunctionMakesANanAtInfinityWhereTheLimitIsFinite) {
  struct Case {
    U f;
    float at_minus, at_plus;
  };
  const Case cases[] = {{U::sigmoid, 0.f, 1.f},
                        {U::silu, -0.f, kInf},
                        {U::tanh, -1.f, 1.f},
                        {U::erf, -1.f, 1.f},
                        {U::gelu_erf, 0.f, kInf},
                        {U::gelu_tanh, -0.f, kInf},
                        {U::softplus, 0.f, kInf},
                        {U::softsign, -1.f, 1.f},
                        {U::mish, -0.f, kInf},
                        {U::hard_swish, -0.f, kInf},
                        {U::exp, 0.f, kInf},
                        {U::relu, 0.f, kInf},
                        {U::atan, -1.57079637f, 1.57079637f}};
  for (const Case& c : cases) {
    EXPECT_EQ(word(call(c.f, -kInf)), word(c.at_minus)) << function_name(c.f) << " " << call(c.f, -kInf);
    EXPECT_EQ(word(call(c.f, kInf)), word(c.at_plus)) << function_name(c.f) << " " << call(c.f, kInf);
    EXPECT_TRUE(std::isnan(call(c.f, kNaN))) << function_name(c.f);
  }
  EXPECT_EQ(word(call(U::hard_sigmoid, -kInf, 0.2f, 0.5f)), word(0.f));
  EXPECT_EQ(word(call(U::quick_gelu, -kInf, 1.702f)), word(-0.f));
  EXPECT_EQ(call(U::quick_gelu, kInf, 1.702f), kInf);
  EXPECT_EQ(call(U::elu, -kInf, 2.f), -2.f);
  EXPECT_EQ(call(U::celu, -kInf, 2.f), -2.f);
  EXPECT_EQ(call(U::log, 0.f), -kInf);
  EXPECT_EQ(call(U::log, kInf), kInf);
  EXPECT_TRUE(std::isnan(call(U::log, -1.f)));
}

TEST(Functions, ReluKeepsNanAndMinusZeroAndMaxOrdersZeros) {
  EXPECT_TRUE(std::isnan(call(U::relu, kNaN)));
  EXPECT_EQ(word(call(U::relu, -0.f)), word(-0.f));
  EXPECT_EQ(word(call(B::max, -0.f, 0.f)), word(0.f));
  EXPECT_EQ(word(call(B::max, 0.f, -0.f)), word(0.f));
  EXPECT_EQ(word(call(B::min, 0.f, -0.f)), word(-0.f));
  EXPECT_EQ(word(call(B::min, -0.f, 0.f)), word(-0.f));
  EXPECT_TRUE(std::isnan(call(B::max, kNaN, 1.f)) && std::isnan(call(B::max, 1.f, kNaN)));
  EXPECT_TRUE(std::isnan(call(B::min, kNaN, 1.f)) && std::isnan(call(B::min, 1.f, kNaN)));
  EXPECT_EQ(call(U::clip, 5.f, 3.f, 1.f), 1.f);  // low above high gives high
  EXPECT_TRUE(std::isnan(call(U::clip, kNaN, 0.f, 1.f)));
  EXPECT_EQ(call(U::clip, -kInf, -kInf, kInf), -kInf);
}

TEST(Functions, ModuloFollowsTheDivisorOrTheDividend) {
  EXPECT_EQ(call(B::mod_floor, -7.5f, 2.f), 0.5f);
  EXPECT_EQ(call(B::mod_trunc, -7.5f, 2.f), -1.5f);
  EXPECT_EQ(call(B::mod_floor, 7.5f, -2.f), -0.5f);
}

TEST(Functions, Binary64FunctionsAreWithinFewUlp) {
  const auto check = [](U f, double lo, double hi, long double (*exact)(long double)) {
    double m = 0;
    for (int i = 0; i <= 20000; ++i) {
      const double x = lo + (hi - lo) * i / 20000.0;
      const long double e = exact(x);
      if (e == 0.0L || std::isnan(e)) continue;
      m = std::max(m, static_cast<double>(std::fabs((f64_function(f, x, 0, 0) - e) / e)));
    }
    EXPECT_LT(m, 4e-15) << function_name(f);
  };
  check(U::exp, -700, 700, [](long double x) { return std::exp(x); });
  check(U::log, 1e-3, 50, [](long double x) { return std::log(x); });
  check(U::tanh, -5, 5, [](long double x) { return std::tanh(x); });
  check(U::sigmoid, -30, 30, sigmoid_exact);
  check(U::atan, -9, 9, [](long double x) { return std::atan(x); });
  check(U::asinh, -9, 9, [](long double x) { return std::asinh(x); });
  for (const double far : {3.0, 1e4, 1e17, 1e300}) {
    check(U::sin, -far, far, [](long double x) { return std::sin(x); });
    check(U::cos, -far, far, [](long double x) { return std::cos(x); });
    check(U::tan, -far, far, [](long double x) { return std::tan(x); });
  }
  check(U::erf, -7, 7, [](long double x) { return std::erf(x); });
  check(U::gelu_erf, -30, 30, [](long double x) { return x / 2 * std::erfc(-x / std::sqrt(2.0L)); });
}

TEST(Functions, Binary64AnglesNextToMultiplesOfAQuarterTurnKeepTheirDigits) {
  // The double that is nearest to a multiple of pi/2, by 5e-19 of it; its cosine by 200-bit arithmetic.
  EXPECT_NEAR(f64_function(U::cos, 0x1.6ac5b262ca1ffp+849, 0, 0) / -4.687165924254627611122582801963884e-19, 1.0, 4e-15);
  for (const U f : {U::sin, U::cos, U::tan}) EXPECT_TRUE(std::isnan(f64_function(f, kInf, 0, 0))) << function_name(f);
  EXPECT_TRUE(std::signbit(f64_function(U::sin, -0.0, 0, 0)));
  EXPECT_EQ(f64_function(U::erf, -kInf, 0, 0), -1.0);
  EXPECT_EQ(f64_function(U::gelu_erf, kInf, 0, 0), kInf);
  EXPECT_TRUE(std::signbit(f64_function(U::gelu_erf, -kInf, 0, 0)));
}

TEST(HalfFloats, EveryPatternSurvivesARoundTripAndRoundingIsToNearestEven) {
  for (uint32_t h = 0; h < 0x10000; ++h) {
    const auto b = static_cast<uint16_t>(h);
    if ((h & 0x7c00) != 0x7c00 || (h & 0x3ff) == 0) {
      EXPECT_EQ(f32_to_f16(f16_to_f32(b)), b);
    }
    if ((h & 0x7f80) != 0x7f80 || (h & 0x7f) == 0) {
      EXPECT_EQ(f32_to_bf16(bf16_to_f32(b)), b);
    }
  }
  EXPECT_EQ(f32_to_f16(65519.f), 0x7bff);
  EXPECT_EQ(f32_to_f16(65520.f), 0x7c00);  // a tie goes to infinity
  EXPECT_EQ(f32_to_f16(0x1p-25f), 0);      // a tie goes to zero
  EXPECT_EQ(f32_to_f16(0x1.000002p-25f), 1);
  EXPECT_EQ(f32_to_f16(1.f + 0x1p-11f), 0x3c00);
  EXPECT_EQ(f32_to_f16(1.f + 0x3p-11f), 0x3c02);
  EXPECT_TRUE(std::isnan(f16_to_f32(f32_to_f16(kNaN))) && std::isnan(bf16_to_f32(f32_to_bf16(kNaN))));
}

}  // namespace
}  // namespace anydim
