// SPDX-License-Identifier: Apache-2.0
// The functions of vector_type.h over the vector type of the set that a file is compiled for. CMake makes a file of each set.
#pragma once

#include <cstdint>
#include <iterator>

#include "core/kernels/simd/set.h"
#include "core/kernels/simd/testing/vector_type.h"

namespace anydim::ANYDIM_ISA {
namespace {

constexpr int kWidth = F32::kWidth;

template <auto f> void apply(const float* a, const float* b, const float* c, float* y) {
  f(F32::load(a), F32::load(b), F32::load(c)).store(y);
}
#define ANYDIM_OPERATION(name, expression)                                                        \
  {                                                                                               \
    name, apply<[](F32 a, [[maybe_unused]] F32 b, [[maybe_unused]] F32 c) { return expression; }> \
  }
constexpr testing::VectorOperation kOperations[] = {
    ANYDIM_OPERATION("add", a + b),
    ANYDIM_OPERATION("subtract", a - b),
    ANYDIM_OPERATION("multiply", a* b),
    ANYDIM_OPERATION("divide", a / b),
    ANYDIM_OPERATION("fma", fma(a, b, c)),
    ANYDIM_OPERATION("sqrt", sqrt(a)),
    ANYDIM_OPERATION("neg", neg(a)),
    ANYDIM_OPERATION("abs", abs(a)),
    ANYDIM_OPERATION("copysign", copysign(a, b)),
    ANYDIM_OPERATION("pick_greater", pick_greater(a, b)),
    ANYDIM_OPERATION("pick_less", pick_less(a, b)),
    ANYDIM_OPERATION("max", max(a, b)),
    ANYDIM_OPERATION("min", min(a, b)),
    ANYDIM_OPERATION("max_of_numbers", max_of_numbers(a, b)),
    ANYDIM_OPERATION("less", select(a < b, F32::set(1.f), F32::zero())),
    ANYDIM_OPERATION("less_equal", select(a <= b, F32::set(1.f), F32::zero())),
    ANYDIM_OPERATION("equal", select(a == b, F32::set(1.f), F32::zero())),
    ANYDIM_OPERATION("is_nan", select(is_nan(a), F32::set(1.f), F32::zero())),
    ANYDIM_OPERATION("mask_and", select((a < b) & (b < c), F32::set(1.f), F32::zero())),
    ANYDIM_OPERATION("mask_or", select((a < b) | (b < c), F32::set(1.f), F32::zero())),
    ANYDIM_OPERATION("mask_not", select(!(a < b), F32::set(1.f), F32::zero())),
    ANYDIM_OPERATION("select", select(a < b, b, c)),
    ANYDIM_OPERATION("floor", floor(a)),
    ANYDIM_OPERATION("ceil", ceil(a)),
    ANYDIM_OPERATION("round_even", round_even(a)),
    ANYDIM_OPERATION("round_f16", round_f16(a)),
    ANYDIM_OPERATION("int_add", from_bits(bits(a) + bits(b))),
    ANYDIM_OPERATION("int_subtract", from_bits(bits(a) - bits(b))),
    ANYDIM_OPERATION("int_multiply", from_bits(bits(a) * bits(b))),
    ANYDIM_OPERATION("int_and", from_bits(bits(a) & bits(b))),
    ANYDIM_OPERATION("int_of_one", from_bits(bits(a) + set_int(a, 77))),
    ANYDIM_OPERATION("shift_left", from_bits(shift_left<5>(bits(a)))),
    ANYDIM_OPERATION("shift_right", from_bits(shift_right<5>(bits(a)))),
    ANYDIM_OPERATION("to_float", to_float(bits(a))),
    ANYDIM_OPERATION("scale_by_power", scale_by_power(a, b)),
};
#undef ANYDIM_OPERATION

template <int h> void upper_from(const float* a, int of, float* y) {
  if (of == h) return upper<h>(F32::load(a)).store(y);
  if constexpr (2 * h < kWidth) upper_from<2 * h>(a, of, y);
}

constexpr testing::VectorType kVectorType = {
    kWidth,
    kOperations,
    static_cast<int>(std::size(kOperations)),
    [](const float* p, int n, float* y) { F32::load_partial(p, n).store(y); },
    [](const float* p, int64_t stride, int n, float* y) { F32::load_strided(p, stride, n).store(y); },
    [](const float* a, int n, float* p) { F32::load(a).store_partial(p, n); },
    [](const uint16_t* p, float* y) { F32::load_f16(p).store(y); },
    [](const float* a, uint16_t* p) { F32::load(a).store_f16(p); },
    [](const uint16_t* p, float* y) { F32::load_bf16(p).store(y); },
    [](const float* a, uint16_t* p) { F32::load(a).store_bf16(p); },
    [](int n) { return mask_bits(F32::first_lanes(n)); },
    [](const float* a, const float* b) { return mask_bits(F32::load(a) < F32::load(b)); },
    [](const float* a, const float* b) { return any(F32::load(a) < F32::load(b)); },
    [](const float* a) { return first(F32::load(a)); },
    upper_from<1>,
    [](const float* from, float* to) {
      F32 rows[kWidth];
      for (int i = 0; i < kWidth; ++i) rows[i] = F32::load(from + i * kWidth);
      transpose(rows);
      for (int i = 0; i < kWidth; ++i) rows[i].store(to + i * kWidth);
    },
};

}  // namespace
}  // namespace anydim::ANYDIM_ISA

constinit const anydim::testing::VectorType anydim::testing::VectorType::ANYDIM_ISA = anydim::ANYDIM_ISA::kVectorType;
