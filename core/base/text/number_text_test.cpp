// SPDX-License-Identifier: Apache-2.0
// Numbers as text: what is read, what is none, the ends of each dtype, and that what was written is read again.
#include "core/base/text/number_text.h"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "core/base/testing/random.h"

namespace anydim {
namespace {

template <class T> T parsed(std::string_view text) {
  T value{};
  EXPECT_EQ(read_number(text, &value), NumberFault::none) << text;
  return value;
}
template <class T> NumberFault fault(std::string_view text) {
  T value{};
  return read_number(text, &value);
}
template <class T> std::string written(T value) {
  char bytes[kLongestIntegerText];
  return {bytes, write_number(value, bytes)};
}

TEST(NumberText, DecimalsAreReadInPlainAndScientificForm) {
  for (const char* text : {"1.5", "+1.5", " 1.5", "1.5\t\n", "15e-1", "0.15E+1", "001.50", "150e-2"}) EXPECT_EQ(parsed<float>(text), 1.5f);
  EXPECT_EQ(parsed<double>(".5"), 0.5);
  EXPECT_EQ(parsed<double>("-5."), -5);
  EXPECT_TRUE(std::signbit(parsed<float>("-0")));
  EXPECT_EQ(parsed<float>("1e-45"), std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(parsed<double>("4.9406564584124654e-324"), std::numeric_limits<double>::denorm_min());
}

TEST(NumberText, BeyondTheRangeLiesInfinityOrZero) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(parsed<double>("1e400"), kInfinity);
  EXPECT_EQ(parsed<double>("-1" + std::string(400, '0')), -kInfinity);
  EXPECT_EQ(parsed<double>("0." + std::string(400, '0') + "1e900"), kInfinity);
  EXPECT_EQ(parsed<double>("1e-400"), 0);
  EXPECT_EQ(parsed<double>("1" + std::string(400, '0') + "e-900"), 0);
  EXPECT_EQ(parsed<double>("0e999999999999999999999"), 0);
  EXPECT_EQ(parsed<float>("3.5e38"), std::numeric_limits<float>::infinity());
  EXPECT_EQ(parsed<float>("1e999999999999999999999999"), std::numeric_limits<float>::infinity());
  EXPECT_EQ(parsed<float>("1e-99999999999999999999999"), 0);
}

TEST(NumberText, InfinitiesAndNanAreWords) {
  for (const char* text : {"INF", "+inf", "Infinity"}) EXPECT_EQ(parsed<float>(text), std::numeric_limits<float>::infinity());
  EXPECT_EQ(parsed<double>(" -INF "), -std::numeric_limits<double>::infinity());
  for (const char* text : {"NaN", "nan", "-nan"}) EXPECT_TRUE(std::isnan(parsed<double>(text)));
}

TEST(NumberText, WhatIsNoNumberIsSaid) {
  for (const char* text : {"",     " ",     "abc", "1abc", "1 2", "1e",   "1e+",   ".",  "-",        "+-1",
                           "0x10", "1_000", "1,5", "--1",  "in",  "nann", "1.5.2", "e5", "\xC3\xA9", "١"})
    EXPECT_EQ(fault<double>(text), NumberFault::no_number) << text;
  EXPECT_EQ(fault<float>(std::string_view("1\0", 2)), NumberFault::no_number);
  for (const char* text : {"1e3", "inf", "nan", ".5", "", "x"}) EXPECT_EQ(fault<int64_t>(text), NumberFault::no_number) << text;
}

TEST(NumberText, WholeNumbersHaveTheirEnds) {
  EXPECT_EQ(parsed<int64_t>("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(parsed<int64_t>("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(fault<int64_t>("9223372036854775808"), NumberFault::out_of_range);
  EXPECT_EQ(fault<int64_t>("-9223372036854775809"), NumberFault::out_of_range);
  EXPECT_EQ(fault<int64_t>("99999999999999999999999"), NumberFault::out_of_range);
  EXPECT_EQ(parsed<uint64_t>("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(fault<uint64_t>("18446744073709551616"), NumberFault::out_of_range);
  EXPECT_EQ(fault<uint64_t>("-1"), NumberFault::out_of_range);
  EXPECT_EQ(parsed<uint64_t>("-0"), 0u);
  EXPECT_EQ(parsed<int64_t>("-2.7"), -2);
  EXPECT_EQ(parsed<int64_t>(" 5. "), 5);
  EXPECT_EQ(parsed<int64_t>("0001"), 1);
}

TEST(NumberText, RealsHaveEightDigits) {
  EXPECT_EQ(written(1.0f), "1");
  EXPECT_EQ(written(-0.0), "-0");
  EXPECT_EQ(written(0.1f), "0.1");
  EXPECT_EQ(written(1.0 / 3), "0.33333333");
  EXPECT_EQ(written(1e-5f), "9.9999997e-06");
  EXPECT_EQ(written(123456789.0f), "1.2345679e+08");
  EXPECT_EQ(written(std::numeric_limits<double>::infinity()), "INF");
  EXPECT_EQ(written(-std::numeric_limits<float>::infinity()), "-INF");
  EXPECT_EQ(written(-std::nan("")), "NaN");
  EXPECT_EQ(written(INT64_MIN), "-9223372036854775808");
  EXPECT_EQ(written(UINT64_MAX), "18446744073709551615");
}

TEST(NumberText, DrawnNumbersAreThoseOfTheCLibrary) {
  testing::Random r(106);
  for (int i = 0; i < 20'000; ++i) {
    const auto bits = static_cast<uint64_t>(r.integer(INT64_MIN, INT64_MAX));
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    float narrow = 0;
    std::memcpy(&narrow, &bits, sizeof narrow);
    char expected[40];
    if (std::isfinite(value)) {
      std::snprintf(expected, sizeof expected, "%.8g", value);
      ASSERT_EQ(written(value), expected);
      std::snprintf(expected, sizeof expected, "%.17g", value);
      ASSERT_EQ(parsed<double>(expected), value) << expected;
      ASSERT_EQ(parsed<double>(expected), std::strtod(expected, nullptr));
      ASSERT_EQ(parsed<float>(expected), std::strtof(expected, nullptr)) << expected;
    }
    if (std::isfinite(narrow)) {
      std::snprintf(expected, sizeof expected, "%.8g", static_cast<double>(narrow));
      ASSERT_EQ(written(narrow), expected);
      ASSERT_LE(written(narrow).size(), kLongestRealText);
    }
    ASSERT_EQ(parsed<int64_t>(written(static_cast<int64_t>(bits))), static_cast<int64_t>(bits));
    ASSERT_EQ(parsed<uint64_t>(written(bits)), bits);
  }
}

}  // namespace
}  // namespace anydim
