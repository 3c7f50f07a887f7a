// SPDX-License-Identifier: Apache-2.0
// See quadrant.h. x = m * 2^e with an integer m, and x * 2/pi modulo 4 needs only the bits of 2/pi from weight 2^(2-e) down.
#include "core/kernels/eltwise/quadrant.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace anydim {

namespace {

constexpr double kHalfPi = 0x1.921fb54442d18p+0, kHalfPiLow = 0x1.1a62633145c07p-54;

// 2/pi after the point.
constexpr uint32_t kTwoOverPi[] = {
    0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB, 0xDEBBC561, 0xB7246E3A, 0x424DD2E0,
    0x06492EEA, 0x09D1921C, 0xFE1DEB1C, 0xB129A73E, 0xE88235F5, 0x2EBB4484, 0xE99C7026, 0xB45F7E41, 0x3991D639, 0x835339F4,
    0x9C845F8B, 0xBDF9283B, 0x1FF897FF, 0xDE05980F, 0xEF2F118B, 0x5A0A6D1F, 0x6D367ECF, 0x27CB09B7, 0x4F463F66, 0x9E5FEA2D,
    0x7527BAC7, 0xEBE5F17B, 0x3D0739F7, 0x8A5292EA, 0x6BFB5FB1, 0x1F8D5D08, 0x56033046, 0xFC7B6BAB,
};

// 32 bits of 2/pi from bit `at` on (0 = the first after the point).
uint32_t two_over_pi_bits(int at) noexcept {
  const int word = at / 32, shift = at % 32;
  const uint64_t pair = static_cast<uint64_t>(kTwoOverPi[word]) << 32 | kTwoOverPi[word + 1];
  return static_cast<uint32_t>(pair >> (32 - shift));
}

using U128 = unsigned __int128;

// A number below 2^256, the lowest word first.
struct Wide {
  uint64_t words[4];
  bool bit(int at) const noexcept { return at < 256 && (words[at / 64] >> (at % 64) & 1) != 0; }
};

// What is left of x below bit `point`.
Wide below(Wide x, int point) noexcept {
  for (int i = 0; i < 4; ++i) {
    const int kept = point - 64 * i;
    if (kept <= 0) x.words[i] = 0;
    else if (kept < 64) x.words[i] &= (uint64_t{1} << kept) - 1;
  }
  return x;
}

// 2^point - x, for 0 < x < 2^point and point < 256.
Wide to_the_next(const Wide& x, int point) noexcept {
  Wide r{};
  uint64_t carry = 1;
  for (int i = 0; i < 4; ++i) {
    r.words[i] = ~x.words[i] + carry;
    carry = carry != 0 && r.words[i] == 0 ? 1 : 0;
  }
  return below(r, point);
}

// Bits [at, at + count) of x, count < 64; those below 0 are zeros.
uint64_t bits_of(const Wide& x, int at, int count) noexcept {
  const int up = at < 0 ? -at : 0, from = at + up;
  if (up >= count || from >= 256) return 0;
  uint64_t v = x.words[from / 64] >> (from % 64);
  if (from % 64 != 0 && from / 64 < 3) v |= x.words[from / 64 + 1] << (64 - from % 64);
  return v << up & ((uint64_t{1} << count) - 1);
}
// v * 2^e of at most 53 bits, for exponents of normal numbers.
double scaled(uint64_t v, int e) noexcept { return static_cast<double>(v) * std::bit_cast<double>(static_cast<uint64_t>(1023 + e) << 52); }

// The 53 leading bits of x * 2^-point, and as many from the next bit on that is set.
void to_double(const Wide& x, int point, double* high, double* low) noexcept {
  *high = *low = 0.0;
  int end = 256;  // what is taken lies below
  double* const parts[] = {high, low};
  for (double* part : parts) {
    int top = end - 1;
    while (top >= 0) {
      const uint64_t word = x.words[top / 64] << (63 - top % 64);
      if (word != 0) {
        top -= std::countl_zero(word);
        break;
      }
      top = top / 64 * 64 - 1;
    }
    if (top < 0) return;
    const int lowest = top < 52 ? 0 : top - 52;
    *part = scaled(bits_of(x, lowest, top - lowest + 1), lowest - point);
    end = lowest;
  }
}

}  // namespace

double reduce_to_quadrant(float x, int* quadrant) noexcept {
  int e;
  const auto m = static_cast<uint64_t>(std::ldexp(std::frexp(x, &e), 24));
  e -= 24;
  if (e < -40) e = -40;  // x < 2^-16 never comes here
  const int first = e > 2 ? e - 2 : 0;
  // 96 bits leave 2^-40 or better relative to any r.
  const U128 window = static_cast<U128>(two_over_pi_bits(first)) << 64 | static_cast<U128>(two_over_pi_bits(first + 32)) << 32 |
                      two_over_pi_bits(first + 64);
  const int point = first + 96 - e;                    // bits after the point in the product
  const U128 product = static_cast<U128>(m) * window;  // below 2^120
  const U128 one = static_cast<U128>(1) << point;
  const U128 fraction = product & (one - 1);
  int q = point < 120 ? static_cast<int>(product >> point) & 3 : 0;
  double f = std::ldexp(static_cast<double>(fraction), -point);
  if (fraction > one / 2) {
    f = -std::ldexp(static_cast<double>(one - fraction), -point);
    ++q;
  }
  *quadrant = q & 3;
  return f * kHalfPi;
}

double reduce_to_quadrant(double x, int* quadrant, double* low) noexcept {
  int e;
  const auto m = static_cast<uint64_t>(std::ldexp(std::frexp(x, &e), 53));
  e -= 53;
  const int first = e > 2 ? e - 2 : 0;
  // No double is nearer to a multiple of pi/2 than 2^-62: 192 bits leave 2^-70 relative to any r.
  uint64_t window[3];
  for (int i = 0; i < 3; ++i)
    window[2 - i] = static_cast<uint64_t>(two_over_pi_bits(first + 64 * i)) << 32 | two_over_pi_bits(first + 64 * i + 32);
  Wide product{};
  U128 carry = 0;
  for (int i = 0; i < 3; ++i) {
    const U128 part = static_cast<U128>(m) * window[i] + carry;
    product.words[i] = static_cast<uint64_t>(part);
    carry = part >> 64;
  }
  product.words[3] = static_cast<uint64_t>(carry);
  const int point = first + 192 - e;  // bits after the point in the product, 245 at most
  int q = (product.bit(point) ? 1 : 0) + (product.bit(point + 1) ? 2 : 0);
  Wide fraction = below(product, point);
  const bool beyond = fraction.bit(point - 1);  // r is negative
  if (beyond) {
    fraction = to_the_next(fraction, point);
    ++q;
  }
  *quadrant = q & 3;
  double high = 0, rest = 0;
  to_double(fraction, point, &high, &rest);
  if (beyond) high = -high, rest = -rest;
  const double r = high * kHalfPi;
  *low = std::fma(high, kHalfPi, -r) + (high * kHalfPiLow + rest * kHalfPi);
  return r;
}

}  // namespace anydim
