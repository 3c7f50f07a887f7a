// SPDX-License-Identifier: Apache-2.0
// The vector types of all instruction sets, an operation at a time, held against plain scalar code: the bits of every lane, for random
// bit patterns and the special values. What an operation has to compute is said in portable.h and, again, here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "core/base/testing/random.h"
#include "core/kernels/sets.h"
#include "core/kernels/simd/half.h"
#include "core/kernels/simd/testing/vector_type.h"

namespace anydim {
namespace {

using testing::Random;
using testing::VectorType;

uint32_t bits_of(float x) { return __builtin_bit_cast(uint32_t, x); }
float of_bits(uint32_t x) { return __builtin_bit_cast(float, x); }
int32_t whole_of(float x) { return __builtin_bit_cast(int32_t, x); }
float truth(bool x) { return x ? 1.f : 0.f; }

float largest(float a, float b, bool max) {
  if (std::isnan(a) || std::isnan(b)) return a + b;
  if (a == b) return std::signbit(a) == max ? b : a;
  return (a > b) == max ? a : b;
}

using Scalar = float (*)(float a, float b, float c);
const std::map<std::string, Scalar>& scalars() {
  static const std::map<std::string, Scalar> all = {
      {"add", [](float a, float b, float) { return a + b; }},
      {"subtract", [](float a, float b, float) { return a - b; }},
      {"multiply", [](float a, float b, float) { return a * b; }},
      {"divide", [](float a, float b, float) { return a / b; }},
      {"fma", [](float a, float b, float c) { return std::fma(a, b, c); }},
      {"sqrt", [](float a, float, float) { return std::sqrt(a); }},
      {"neg", [](float a, float, float) { return of_bits(bits_of(a) ^ 0x80000000u); }},
      {"abs", [](float a, float, float) { return of_bits(bits_of(a) & 0x7fffffffu); }},
      {"copysign", [](float a, float b, float) { return of_bits((bits_of(a) & 0x7fffffffu) | (bits_of(b) & 0x80000000u)); }},
      {"pick_greater", [](float a, float b, float) { return a > b ? a : b; }},
      {"pick_less", [](float a, float b, float) { return a < b ? a : b; }},
      {"max", [](float a, float b, float) { return largest(a, b, true); }},
      {"min", [](float a, float b, float) { return largest(a, b, false); }},
      {"max_of_numbers", [](float a, float b, float) { return largest(a, b, true); }},
      {"less", [](float a, float b, float) { return truth(a < b); }},
      {"less_equal", [](float a, float b, float) { return truth(a <= b); }},
      {"equal", [](float a, float b, float) { return truth(a == b); }},
      {"is_nan", [](float a, float, float) { return truth(std::isnan(a)); }},
      {"mask_and", [](float a, float b, float c) { return truth(a < b && b < c); }},
      {"mask_or", [](float a, float b, float c) { return truth(a < b || b < c); }},
      {"mask_not", [](float a, float b, float) { return truth(!(a < b)); }},
      {"select", [](float a, float b, float c) { return a < b ? b : c; }},
      {"floor", [](float a, float, float) { return std::floor(a); }},
      {"ceil", [](float a, float, float) { return std::ceil(a); }},
      {"round_even", [](float a, float, float) { return std::nearbyint(a); }},
      {"round_f16", [](float a, float, float) { return f16_to_f32(f32_to_f16(a)); }},
      {"int_add", [](float a, float b, float) { return of_bits(bits_of(a) + bits_of(b)); }},
      {"int_subtract", [](float a, float b, float) { return of_bits(bits_of(a) - bits_of(b)); }},
      {"int_multiply", [](float a, float b, float) { return of_bits(bits_of(a) * bits_of(b)); }},
      {"int_and", [](float a, float b, float) { return of_bits(bits_of(a) & bits_of(b)); }},
      {"int_of_one", [](float a, float, float) { return of_bits(bits_of(a) + 77); }},
      {"shift_left", [](float a, float, float) { return of_bits(bits_of(a) << 5); }},
      {"shift_right", [](float a, float, float) { return of_bits(static_cast<uint32_t>(whole_of(a) >> 5)); }},
      {"to_float", [](float a, float, float) { return static_cast<float>(whole_of(a)); }},
      {"scale_by_power",
       [](float a, float b, float) { return static_cast<float>(std::ldexp(static_cast<double>(a), static_cast<int>(b))); }},
  };
  return all;
}
// Results whose bits are whole numbers, and not those of a float.
bool moves_bits(const std::string& name) {
  return name.starts_with("int_") || name.starts_with("shift_") || name == "neg" || name == "abs" || name == "copysign";
}

// Equal bits; of arithmetic, NaN is NaN whatever its bits are.
bool equal(float found, float wanted, bool bits) {
  return !bits && std::isnan(wanted) ? std::isnan(found) : bits_of(found) == bits_of(wanted);
}

float any_float(Random& r) {
  constexpr float kSpecial[] = {0.f,
                                -0.f,
                                1.f,
                                -1.f,
                                0.5f,
                                1.5f,
                                2.5f,
                                -2.5f,
                                0x1p-149f,
                                -0x1p-126f,
                                0x1.fffffep127f,
                                65504.f,
                                65520.f,
                                0x1p-24f,
                                0x1p-25f,
                                0x1.8p-25f,
                                std::numeric_limits<float>::infinity(),
                                -std::numeric_limits<float>::infinity(),
                                std::numeric_limits<float>::quiet_NaN()};
  switch (r.integer(0, 3)) {
    case 0: return kSpecial[r.integer(0, static_cast<int64_t>(std::size(kSpecial)) - 1)];
    case 1: return of_bits(static_cast<uint32_t>(r.integer(0, UINT32_MAX)));
    default: return static_cast<float>(r.integer(-1000000, 1000000)) / 4096.f;
  }
}

class VectorTypes : public ::testing::TestWithParam<PartOfSet<VectorType>> {
 protected:
  const VectorType& type() const { return *GetParam().part; }
  size_t width() const { return static_cast<size_t>(type().width); }
  std::vector<float> drawn(Random& r, size_t n) const {
    std::vector<float> v(n);
    for (float& x : v) x = any_float(r);
    return v;
  }
};

TEST_P(VectorTypes, HaveTheBitsOfScalarCodeInEachOperation) {
  Random r(45);
  EXPECT_EQ(static_cast<size_t>(type().count), scalars().size());
  for (int o = 0; o < type().count; ++o) {
    const testing::VectorOperation& operation = type().operations[o];
    const auto scalar = scalars().find(operation.name);
    ASSERT_NE(scalar, scalars().end()) << operation.name;
    const std::string name = operation.name;
    for (int i = 0; i < 4000; ++i) {
      std::vector<float> a = drawn(r, width()), b = drawn(r, width()), c = drawn(r, width()), y(width());
      for (size_t lane = 0; lane < width(); ++lane) {
        if (name == "max_of_numbers")  // which no NaN reaches
          for (float* x : {&a[lane], &b[lane]})
            if (std::isnan(*x)) *x = 0.f;
        if (name == "scale_by_power") {  // its domain
          a[lane] = static_cast<float>(r.integer(1 << 23, 1 << 25)) * 0x1p-24f;
          b[lane] = static_cast<float>(r.integer(-250, 250));
        }
      }
      operation.run(a.data(), b.data(), c.data(), y.data());
      for (size_t lane = 0; lane < width(); ++lane)
        if (const float wanted = scalar->second(a[lane], b[lane], c[lane]); !equal(y[lane], wanted, moves_bits(name)))
          FAIL() << name << " of " << a[lane] << ", " << b[lane] << ", " << c[lane] << " gives " << y[lane] << ", not " << wanted;
    }
  }
}

TEST_P(VectorTypes, ReadAndWriteTheFirstLanesAndNothingElse) {
  Random r(46);
  constexpr float kGuard = 12345.f;
  for (int n = 0; n <= type().width; ++n) {
    const auto count = static_cast<size_t>(n);
    const std::vector<float> from = drawn(r, width());
    std::vector<float> exact(from.begin(), from.begin() + n), y(width(), kGuard);
    type().load_partial(exact.data(), n, y.data());
    for (size_t i = 0; i < width(); ++i) EXPECT_EQ(bits_of(y[i]), i < count ? bits_of(from[i]) : 0u) << "lane " << i << " of " << n;
    std::vector<float> apart(3 * count + 1);
    for (size_t i = 0; i < count; ++i) apart[3 * i] = from[i];
    type().load_strided(apart.data(), 3, n, y.data());
    for (size_t i = 0; i < width(); ++i) EXPECT_EQ(bits_of(y[i]), i < count ? bits_of(from[i]) : 0u) << "lane " << i << " of " << n;
    std::vector<float> to(width() + 1, kGuard);
    type().store_partial(from.data(), n, to.data());
    for (size_t i = 0; i < to.size(); ++i) EXPECT_EQ(bits_of(to[i]), bits_of(i < count ? from[i] : kGuard)) << "lane " << i << " of " << n;
    EXPECT_EQ(type().first_lanes(n), (1u << n) - 1);
  }
}

TEST_P(VectorTypes, ReadAndRoundFloatsOf16Bits) {
  std::vector<uint16_t> half(width()), found(width());
  std::vector<float> y(width());
  for (uint32_t first = 0; first < 0x10000; first += static_cast<uint32_t>(type().width)) {
    for (size_t i = 0; i < width(); ++i) half[i] = static_cast<uint16_t>(first + i);
    type().load_f16(half.data(), y.data());
    for (size_t i = 0; i < width(); ++i) EXPECT_EQ(bits_of(y[i]), bits_of(f16_to_f32(half[i]))) << half[i];
    type().load_bf16(half.data(), y.data());
    for (size_t i = 0; i < width(); ++i) EXPECT_EQ(bits_of(y[i]), bits_of(bf16_to_f32(half[i]))) << half[i];
    if (HasFailure()) return;
  }
  Random r(47);
  for (int i = 0; i < 10000; ++i) {
    const std::vector<float> a = drawn(r, width());
    type().store_f16(a.data(), found.data());
    for (size_t k = 0; k < width(); ++k) EXPECT_EQ(found[k], f32_to_f16(a[k])) << a[k];
    type().store_bf16(a.data(), found.data());
    for (size_t k = 0; k < width(); ++k) EXPECT_EQ(found[k], f32_to_bf16(a[k])) << a[k];
    if (HasFailure()) return;
  }
}

TEST_P(VectorTypes, MoveLanesAndMasks) {
  Random r(48);
  for (int i = 0; i < 1000; ++i) {
    const std::vector<float> a = drawn(r, width()), b = drawn(r, width());
    std::vector<float> y(width());
    EXPECT_EQ(bits_of(type().first(a.data())), bits_of(a[0]));
    for (int h = 1; h < type().width; h *= 2) {
      type().upper(a.data(), h, y.data());
      for (int k = 0; k < h; ++k) EXPECT_EQ(bits_of(y[static_cast<size_t>(k)]), bits_of(a[static_cast<size_t>(k + h)])) << h;
    }
    uint32_t wanted = 0;
    for (size_t k = 0; k < width(); ++k) wanted |= static_cast<uint32_t>(a[k] < b[k]) << k;
    EXPECT_EQ(type().less(a.data(), b.data()), wanted);
    EXPECT_EQ(type().any_less(a.data(), b.data()), wanted != 0);
    const std::vector<float> square = drawn(r, width() * width());
    std::vector<float> turned(square.size());
    type().transpose(square.data(), turned.data());
    for (size_t row = 0; row < width(); ++row)
      for (size_t column = 0; column < width(); ++column)
        EXPECT_EQ(bits_of(turned[column * width() + row]), bits_of(square[row * width() + column]));
    if (HasFailure()) return;
  }
}

std::vector<PartOfSet<VectorType>> usable() {
  std::vector<PartOfSet<VectorType>> list;
  for (const auto& type : parts_of_sets<VectorType>())
    if (cpu().usable.includes(type.isa)) list.push_back(type);
  return list;
}
INSTANTIATE_TEST_SUITE_P(Sets, VectorTypes, ::testing::ValuesIn(usable()), [](const auto& p) { return std::string(p.param.name); });

}  // namespace
}  // namespace anydim
