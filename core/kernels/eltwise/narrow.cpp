// SPDX-License-Identifier: Apache-2.0
// See narrow.h. Each float is a row of a table: how many bits of fraction it has, where its exponents begin and which codes are no
// numbers.
#include "core/kernels/eltwise/narrow.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace anydim {

namespace {

// f8e4m3fn: one code of each sign is NaN. fnuz: the code of a negative zero is NaN. f8e5m2: the largest exponent is infinity and NaN.
// f4e2m1: all codes are numbers.
enum class Codes : uint8_t { one_nan, no_negative_zero, ieee, numbers };

struct Format {
  int fraction;  // bits
  int bias;
  uint8_t sign;     // its bit
  uint8_t largest;  // the code of the largest number
  Codes codes;
};

constexpr Format kFormats[] = {
    {3, 7, 0x80, 0x7e, Codes::one_nan},            // f8e4m3fn
    {3, 8, 0x80, 0x7f, Codes::no_negative_zero},   // f8e4m3fnuz
    {2, 15, 0x80, 0x7b, Codes::ieee},              // f8e5m2
    {2, 16, 0x80, 0x7f, Codes::no_negative_zero},  // f8e5m2fnuz
    {},                                            // f8e8m0 has no sign and no fraction
    {1, 1, 0x08, 0x07, Codes::numbers},            // f4e2m1
};

const Format& format_of(DType t) noexcept { return kFormats[static_cast<int>(t) - static_cast<int>(DType::f8e4m3fn)]; }

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr int kPowerBias = 127;
constexpr uint8_t kPowerNan = 255;

// A power of two for the magnitude of x.
uint8_t power_code(double x, const NarrowRules& rules) noexcept {
  const double a = std::fabs(x);
  if (!std::isfinite(a)) return kPowerNan;
  if (a <= std::ldexp(1.0, -kPowerBias)) return 0;
  int e = std::ilogb(a);
  const double m = std::ldexp(a, -e);  // 1 <= m < 2
  if (rules.rounding == PowerRounding::up ? m > 1 : rules.rounding == PowerRounding::nearest && m >= 1.5) ++e;
  if (e <= kPowerBias) return static_cast<uint8_t>(e + kPowerBias);
  return rules.overflows ? kPowerNan : 2 * kPowerBias;
}

}  // namespace

float narrow_to_float(DType t, uint8_t element) noexcept {
  switch (t) {
    case DType::u4: return static_cast<float>(element & 15);
    case DType::u2: return static_cast<float>(element & 3);
    case DType::i4: return static_cast<float>(((element & 15) ^ 8) - 8);
    case DType::i2: return static_cast<float>(((element & 3) ^ 2) - 2);
    case DType::f8e8m0: return element == kPowerNan ? kNan : std::ldexp(1.f, element - kPowerBias);
    default: break;
  }
  const Format& f = format_of(t);
  const int code = element & (f.sign - 1), exponent = code >> f.fraction, ones = (1 << f.fraction) - 1;
  const bool negative = (element & f.sign) != 0;
  if (f.codes == Codes::one_nan && code > f.largest) return kNan;
  if (f.codes == Codes::no_negative_zero && negative && code == 0) return kNan;
  if (f.codes == Codes::ieee && code > f.largest)
    return (code & ones) != 0 ? kNan : negative ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::infinity();
  const int whole = exponent == 0 ? code : (code & ones) | (ones + 1);
  const float magnitude = std::ldexp(static_cast<float>(whole), (exponent == 0 ? 1 : exponent) - f.bias - f.fraction);
  return negative ? -magnitude : magnitude;
}

uint8_t float_to_narrow(DType t, double x, const NarrowRules& rules) noexcept {
  if (t == DType::f8e8m0) return power_code(x, rules);
  const Format& f = format_of(t);
  const uint8_t nan = f.codes == Codes::no_negative_zero || f.codes == Codes::numbers ? f.sign : static_cast<uint8_t>(f.sign - 1);
  if (std::isnan(x)) return nan;  // f4e2m1 has none: -0
  const uint8_t sign = std::signbit(x) ? f.sign : uint8_t{0};
  const double a = std::fabs(x);
  int code = f.largest + 1;
  if (std::isfinite(a)) {
    const int least = 1 - f.bias, e = a == 0 ? least : std::max(std::ilogb(a), least);
    if (e <= f.bias + 2) {                                                 // beyond lies no number of any of them
      const double steps = std::nearbyint(std::ldexp(a, f.fraction - e));  // ties to even, the caller's rounding is
      code = ((e - least) << f.fraction) + static_cast<int>(steps);
    }
  }
  if (code > f.largest) {
    if (!rules.overflows || f.codes == Codes::numbers) return static_cast<uint8_t>(sign | f.largest);
    if (f.codes == Codes::no_negative_zero) return nan;
    return static_cast<uint8_t>(sign | (f.largest + 1));  // infinity, or the NaN of that sign
  }
  return code == 0 && f.codes == Codes::no_negative_zero ? uint8_t{0} : static_cast<uint8_t>(sign | code);
}

uint8_t integer_to_narrow(DType t, int64_t x) noexcept { return static_cast<uint8_t>(x & ((1 << narrow_bits(t)) - 1)); }

}  // namespace anydim
