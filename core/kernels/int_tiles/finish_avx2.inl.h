// SPDX-License-Identifier: Apache-2.0
// What follows sums in AVX2; see finish.inl.h.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/kernels/int_tiles/finish_vectors.inl.h"

namespace anydim::avx2 {
namespace {

// Up to 8 V columns of a tile's rows as bytes, V 1 or 2, without dividing: see quick_value() of bytes_avx512.h. Two rows at once,
// and what is one per column stays in registers. Values are those of u8; i8 is moved. False: a value was in doubt, and the bytes are of
// no use.
template <int V, bool kBias>
__attribute__((noinline)) bool finish_bytes_quickly(const int32_t* sums, const RowFinish& f, bool is_signed, int32_t rows, int64_t columns,
                                                    std::byte* const* to, int64_t column) {
  const auto whole = [](const int32_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); };
  const __m256i low = _mm256_set1_epi32((1 << 14) - 4), flip = _mm256_set1_epi8(is_signed ? static_cast<char>(0x80) : '\0');
  const __m256 moved = _mm256_set1_ps(is_signed ? 128.f : 0.f), moved_centre = _mm256_mul_ps(moved, _mm256_set1_ps(0x1p14f));
  __m256i offset[2], clear = low;
  __m256 scale[2], bias[2], quick[2], centre[2];
#pragma GCC unroll 2
  for (int v = 0; v < V; ++v) {
    offset[v] = whole(f.offset + 8 * v);
    if constexpr (kBias) scale[v] = _mm256_loadu_ps(f.scale + 8 * v), bias[v] = _mm256_loadu_ps(f.bias + 8 * v);
    quick[v] = _mm256_loadu_ps(f.quick + 8 * v), centre[v] = _mm256_add_ps(_mm256_loadu_ps(f.centre + 8 * v), moved_centre);
  }
  const auto zeros = [&](int v) { return _mm256_cvtps_epi32(_mm256_add_ps(_mm256_loadu_ps(f.out_zero + 8 * v), moved)); };
  const __m256i least = f.relu ? _mm256_packs_epi32(zeros(0), zeros(V - 1)) : _mm256_setzero_si256();
  const auto words = [&](const int32_t* from) {
    __m256i q[V];
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) {
      __m256 y = _mm256_cvtepi32_ps(_mm256_add_epi32(whole(from + 8 * v), offset[v]));
      if constexpr (kBias) y = _mm256_add_ps(_mm256_mul_ps(y, scale[v]), bias[v]);
      q[v] = _mm256_cvtps_epi32(_mm256_fmadd_ps(y, quick[v], centre[v]));
      clear = _mm256_min_epu32(clear, _mm256_and_si256(q[v], low));
      q[v] = _mm256_srai_epi32(q[v], 14);
    }
    return _mm256_max_epi16(_mm256_packs_epi32(q[0], q[V - 1]), least);
  };
  // A part of a half is stored by way of memory: calls would cost all registers.
  const bool few = columns != 8 * V;
  alignas(16) std::byte tail[kIntTileRows][16];
  for (int32_t r = 0; r < rows; r += 2) {
    const int32_t second = r + 1 < rows ? r + 1 : r;
    // Of each part of 128 bits: four values of the first row's first eight and of its second, then the second row's.
    const __m256i bytes = _mm256_xor_si256(_mm256_packus_epi16(words(sums + r * kIntColumns), words(sums + second * kIntColumns)), flip);
    const __m128i low_parts = _mm256_castsi256_si128(bytes), high_parts = _mm256_extracti128_si256(bytes, 1);
    std::byte *const first_to = few ? tail[r] : to[r] + column, *const second_to = few ? tail[second] : to[second] + column;
    const auto store = [](std::byte* at, __m128i row) {
      if constexpr (V == 1) _mm_storel_epi64(reinterpret_cast<__m128i*>(at), row);
      else _mm_storeu_si128(reinterpret_cast<__m128i*>(at), row);
    };
    store(second_to, _mm_unpackhi_epi32(low_parts, high_parts));  // of the first row again, if there is no second one
    store(first_to, _mm_unpacklo_epi32(low_parts, high_parts));
  }
  for (int32_t r = 0; few && r < rows; ++r) store_half(_mm_load_si128(reinterpret_cast<const __m128i*>(tail[r])), columns, to[r] + column);
  const __m256i doubt = _mm256_cmpeq_epi32(clear, _mm256_setzero_si256());
  return _mm256_testz_si256(doubt, doubt) != 0;
}
template <class To>
void finish_bytes_of_rows(const int32_t* sums, RowFinish f, int32_t rows, int64_t columns, std::byte* const* to, int64_t column) {
  static constexpr bool (*kQuickly[2][2])(const int32_t*, const RowFinish&, bool, int32_t, int64_t, std::byte* const*, int64_t) = {
      {finish_bytes_quickly<1, false>, finish_bytes_quickly<1, true>}, {finish_bytes_quickly<2, false>, finish_bytes_quickly<2, true>}};
  for (;; sums += 16, column += 16, columns -= 16) {
    const int64_t there = columns < 16 ? columns : 16;
    if (f.quick == nullptr ||
        __builtin_expect(!kQuickly[there > 8][f.bias != nullptr](sums, f, std::is_signed_v<To>, rows, there, to, column), 0))
      for (int32_t r = 0; r < rows; ++r) finish_bytes<2>(sums + r * kIntColumns, f, there, reinterpret_cast<To*>(to[r] + column));
    if (columns <= 16) return;
    f.offset += 16, f.scale += 16, f.out_scale += 16, f.out_zero += 16;
    if (f.quick != nullptr) f.quick += 16, f.centre += 16;
    if (f.bias != nullptr) f.bias += 16;
  }
}

// In one pass, what most tiles end with: f32 behind at most one short step, or bytes behind relu.
inline bool finish_in_registers(const IntBlock& b, bool relu, int32_t at, int32_t rows, int64_t column, int64_t columns,
                                const int32_t* sums) {
  if (b.exact || b.result == DType::i32) return false;
  if (b.result == DType::f32 && b.dst_column_step == 1) return finish_as_reals(b, relu, at, rows, column, columns, sums);
  if (!relu && b.program->count > 0) return false;
  RowFinish f = finish_of(b, column, relu);
  const auto rows_as = [&](auto tag) {
    if constexpr (sizeof(tag) == 1)
      if (f.zero == nullptr && f.out_scale != nullptr && b.dst_column_step == 1)
        return finish_bytes_of_rows<decltype(tag)>(sums, f, rows, columns, b.dst + at, column);
    for (int32_t r = 0; r < rows; ++r) {
      if (f.zero != nullptr) f.row_sum = b.row_sums[at + r];
      finish_row(sums + r * kIntColumns, f, columns, b.dst_column_step,
                 reinterpret_cast<decltype(tag)*>(b.dst[at + r]) + column * b.dst_column_step);
    }
  };
  if (b.result == DType::f32) rows_as(float{});
  else if (b.result == DType::i8) rows_as(int8_t{});
  else rows_as(uint8_t{});
  return true;
}

inline void make_reals(const IntBlock& b, bool relu, int32_t at, int32_t rows, int64_t column, int64_t columns, int32_t* sums,
                       float* real) {
  RowFinish f = finish_of(b, column, relu);
  const int64_t whole = (columns + 15) / 16 * 16;  // vectors: no tail
  for (int32_t r = 0; r < rows; ++r) {
    if (f.zero != nullptr) f.row_sum = b.row_sums[at + r];
    finish_row(sums + r * kIntColumns, f, whole, 1, real + r * kIntColumns);
  }
}

struct TilesAtOnce {
  TilesAtOnce(const IntBlock&, bool, int64_t, int64_t) {}
  bool finish(int32_t, int32_t, int32_t*) const { return false; }
};

}  // namespace
}  // namespace anydim::avx2
