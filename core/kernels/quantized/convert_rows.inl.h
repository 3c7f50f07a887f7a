// SPDX-License-Identifier: Apache-2.0
// Conversions of rows (convert_rows.h) as plain loops, which the compiler turns into vectors. Files of sets include before it what stays in
// registers: no_vectors.inl.h, vectors_avx2.inl.h or vectors_avx512.inl.h.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/kernels/quantized/convert_rows.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

constexpr int64_t kConvertedAtOnce = 256;  // elements that lie in buffers of their own between the loops

// real[i] = scale * (x[i] - zero point); whole numbers are subtracted exactly, i32 becomes a float first and has no zero point.
template <class From>
inline void to_real(const From* __restrict x, const RowFactor& scale, const RowFactor& zero, int64_t n, float* __restrict real) {
  if constexpr (std::is_same_v<From, float>) {
    for (int64_t i = 0; i < n; ++i) real[i] = x[i];
    return;
  } else {
    if (zero.at == nullptr) {
      for (int64_t i = 0; i < n; ++i) real[i] = static_cast<float>(x[i]);
    } else if (zero.step == 0) {
      const auto z = static_cast<int32_t>(*zero.at);
      for (int64_t i = 0; i < n; ++i) real[i] = static_cast<float>(static_cast<int32_t>(x[i]) - z);
    } else {
      for (int64_t i = 0; i < n; ++i) real[i] = static_cast<float>(x[i]) - zero.at[i];
    }
    if (scale.at == nullptr) return;
    if (scale.step == 0) {
      const float s = *scale.at;
      for (int64_t i = 0; i < n; ++i) real[i] *= s;
    } else {
      for (int64_t i = 0; i < n; ++i) real[i] *= scale.at[i];
    }
  }
}

// Rounds to nearest even, shifts, saturates; NaN gives 0. Buffers of 32 bits between, so that each loop is of one width.
template <class To>
inline void to_quantized(float* __restrict real, const RowFactor& scale, const RowFactor& zero, int64_t n, To* __restrict out) {
  if (scale.at != nullptr && scale.step == 0) {
    const float s = *scale.at;
    for (int64_t i = 0; i < n; ++i) real[i] /= s;
  } else if (scale.at != nullptr) {
    for (int64_t i = 0; i < n; ++i) real[i] /= scale.at[i];
  }
  if constexpr (std::is_same_v<To, float>) {
    for (int64_t i = 0; i < n; ++i) out[i] = real[i];
  } else {
    // The largest float that is a number of the dtype, or the next: i32 saturates above it.
    constexpr bool kWide = std::is_same_v<To, int32_t>;
    constexpr float kLow = static_cast<float>(std::numeric_limits<To>::lowest());
    constexpr float kHigh = kWide ? 0x1.fffffep30f : static_cast<float>(std::numeric_limits<To>::max());
    const auto number = [](float y, float z) {
      float r = __builtin_rintf(y) + z;
      const bool above = r > kHigh;
      r = r < kLow ? kLow : r;
      r = above ? kHigh : r;
      r = r != r ? 0.f : r;
      auto v = static_cast<int32_t>(r);
      if constexpr (kWide) v = above ? std::numeric_limits<int32_t>::max() : v;
      return v;
    };
    alignas(64) int32_t whole[kConvertedAtOnce];
    if (zero.at == nullptr || zero.step == 0) {
      const float z = zero.at == nullptr ? 0.f : *zero.at;
      for (int64_t i = 0; i < n; ++i) whole[i] = number(real[i], z);
    } else {
      for (int64_t i = 0; i < n; ++i) whole[i] = number(real[i], zero.at[i]);
    }
    for (int64_t i = 0; i < n; ++i) out[i] = static_cast<To>(whole[i]);
  }
}

template <class From, class To> void convert_row(const ConvertRow& row) noexcept {
  alignas(64) float real[kConvertedAtOnce];
  ConvertRow r = row;
  if (convert_vectors<From, To>(row)) return;
  const auto move = [](RowFactor* f, int64_t n) {
    if (f->at != nullptr) f->at += f->step * n;
  };
  for (int64_t left = r.n; left > 0; left -= kConvertedAtOnce) {
    const int64_t n = left < kConvertedAtOnce ? left : kConvertedAtOnce;
    const auto* from = static_cast<const From*>(r.in);
    auto* to = static_cast<To*>(r.out);
    if constexpr (std::is_same_v<To, float>) {
      if (r.out_scale.at == nullptr) {
        to_real(from, r.in_scale, r.in_zero, n, to);
      } else {
        to_real(from, r.in_scale, r.in_zero, n, real);
        to_quantized(real, r.out_scale, r.out_zero, n, to);
      }
    } else {
      to_real(from, r.in_scale, r.in_zero, n, real);
      to_quantized(real, r.out_scale, r.out_zero, n, to);
    }
    r.in = from + n;
    r.out = to + n;
    move(&r.in_scale, n);
    move(&r.in_zero, n);
    move(&r.out_scale, n);
    move(&r.out_zero, n);
  }
}

template <class From> ConvertFunction converted_to(DType to) noexcept {
  switch (to) {
    case DType::f32: return convert_row<From, float>;
    case DType::i8: return convert_row<From, int8_t>;
    case DType::u8: return convert_row<From, uint8_t>;
    default: return nullptr;
  }
}
inline ConvertFunction converts(DType from, DType to) noexcept {
  switch (from) {
    case DType::f32:
      return to == DType::i16 ? convert_row<float, int16_t> : to == DType::u16 ? convert_row<float, uint16_t> : converted_to<float>(to);
    case DType::i8: return converted_to<int8_t>(to);
    case DType::u8: return converted_to<uint8_t>(to);
    case DType::i16: return to == DType::f32 ? convert_row<int16_t, float> : nullptr;
    case DType::u16: return to == DType::f32 ? convert_row<uint16_t, float> : nullptr;
    case DType::i32: return converted_to<int32_t>(to);
    default: return nullptr;
  }
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
