// SPDX-License-Identifier: Apache-2.0
// Arithmetic on sizes that says when it overflowed instead of wrapping. Sizes and dims are int64_t everywhere.
#pragma once

#include <cstdint>

namespace anydim {

// Each returns false, leaving *out unspecified, when the exact result does not fit int64_t.
inline bool checked_add(int64_t a, int64_t b, int64_t* out) noexcept { return !__builtin_add_overflow(a, b, out); }
inline bool checked_sub(int64_t a, int64_t b, int64_t* out) noexcept { return !__builtin_sub_overflow(a, b, out); }
inline bool checked_mul(int64_t a, int64_t b, int64_t* out) noexcept { return !__builtin_mul_overflow(a, b, out); }

// Saturating forms, for bounds where "too large" is answer enough.
constexpr int64_t kMaxSize = INT64_C(1) << 62;
inline int64_t saturating_add(int64_t a, int64_t b) noexcept {
  int64_t r;
  if (!checked_add(a, b, &r)) return a > 0 ? kMaxSize : -kMaxSize;
  return r > kMaxSize ? kMaxSize : r < -kMaxSize ? -kMaxSize : r;
}
inline int64_t saturating_mul(int64_t a, int64_t b) noexcept {
  int64_t r;
  if (checked_mul(a, b, &r) && r < kMaxSize && r > -kMaxSize) return r;
  return (a > 0) == (b > 0) ? kMaxSize : -kMaxSize;
}

// Floor division and its remainder, for b > 0 and any a.
constexpr int64_t floor_div(int64_t a, int64_t b) noexcept { return a / b - (a % b < 0 ? 1 : 0); }
constexpr int64_t floor_mod(int64_t a, int64_t b) noexcept { return a - floor_div(a, b) * b; }
constexpr int64_t ceil_div(int64_t a, int64_t b) noexcept { return -floor_div(-a, b); }
constexpr int64_t round_up(int64_t a, int64_t b) noexcept { return ceil_div(a, b) * b; }

}  // namespace anydim
