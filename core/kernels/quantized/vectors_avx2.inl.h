// SPDX-License-Identifier: Apache-2.0
// Rows of quantized values in AVX2: columns of bytes are combined without dividing.
#pragma once

#include "core/kernels/simd/bytes_avx2.h"
// Reals stand before what is made of them.
#include "core/kernels/quantized/vectors.inl.h"

namespace anydim::avx2 {
namespace {

constexpr int64_t kColumnsAtOnce = 32;
// Whether results of at most `most` are combined without dividing.
inline bool quotients_fit(float most, float scale) { return most <= scale * 0x1p16f && scale > 0x1p-100f && scale < 0x1p100f; }

// 32 columns of all rows, without dividing; see quick_value() of bytes_avx512.h. kOnce: input 1 is the same in all.
template <BinaryFunction F, bool kOnce, class B>
__attribute__((noinline)) void combine_columns(const CombineRow& row, const VectorRead (&read)[2], const VectorWrite& write, bool is_signed,
                                               int64_t c) {
  const auto* a = static_cast<const uint8_t*>(row.in[0]) + c;
  const auto* b = static_cast<const B*>(row.in[1]) + c;
  auto* to = static_cast<uint8_t*>(row.out) + c;
  const int32_t moved = is_signed ? 128 : 0;
  const __m256i flip = _mm256_set1_epi8(is_signed ? static_cast<char>(0x80) : '\0');
  const __m256i zero[2] = {_mm256_set1_epi32(read[0].zero + moved), _mm256_set1_epi32(read[1].zero + moved)};
  const __m256 quick = _mm256_div_ps(_mm256_set1_ps(0x1p14f), write.scale.v);
  const __m256 centre =
      _mm256_add_ps(_mm256_mul_ps(_mm256_add_ps(write.zero.v, _mm256_set1_ps(static_cast<float>(moved))), _mm256_set1_ps(0x1p14f)),
                    _mm256_set1_ps(0x1p13f + 1));
  const __m256i low = _mm256_set1_epi32((1 << 14) - 4), in_order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  const auto number = [&](int i, const uint8_t* p) {
    const __m128i bytes = _mm_xor_si128(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)), _mm256_castsi256_si128(flip));
    return Reals{_mm256_cvtepi32_ps(_mm256_sub_epi32(_mm256_cvtepu8_epi32(bytes), zero[i]))} * read[i].scale;
  };
  const auto right = [&](const B* p) {
    if constexpr (is_real<B>) return Reals::load(p, 8);
    else return number(1, p);
  };
  constexpr bool kAdds = F == BinaryFunction::mul && is_real<B>;
  Reals y[4], addend[4];
#pragma GCC unroll 4
  for (int v = 0; v < 4; ++v) {
    y[v] = right(b + 8 * v);
    // -0 changes no number.
    if constexpr (kAdds) addend[v] = row.addend == nullptr ? Reals::of(-0.f) : Reals::load(row.addend + c + 8 * v, 8);
  }
  for (int64_t r = 0; r < row.rows; ++r, a += row.in_apart[0], b += row.in_apart[1], to += row.out_apart) {
    const auto of_row = [&](int v) {
      const Reals z = combined<F>(number(0, a + 8 * v), kOnce ? y[v] : right(b + 8 * v));
      return kAdds ? z + addend[v] : z;
    };
    __m256i whole[4], clear = _mm256_set1_epi32(-1);
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      const __m256i q = _mm256_cvtps_epi32(_mm256_fmadd_ps(of_row(v).v, quick, centre));
      clear = _mm256_min_epu32(clear, _mm256_and_si256(q, low));
      whole[v] = _mm256_srai_epi32(q, 14);
    }
    clear = _mm256_cmpeq_epi32(clear, _mm256_setzero_si256());
    __m256i bytes = _mm256_packus_epi16(_mm256_packs_epi32(whole[0], whole[1]), _mm256_packs_epi32(whole[2], whole[3]));
    bytes = _mm256_xor_si256(_mm256_permutevar8x32_epi32(bytes, in_order), flip);
    if (__builtin_expect(_mm256_testz_si256(clear, clear) == 0, 0)) {
      alignas(32) uint8_t numbers[32];  // `to` may be an input
      for (int v = 0; v < 4; ++v)
        if (is_signed) write(of_row(v), reinterpret_cast<int8_t*>(numbers) + 8 * v, 8);
        else write(of_row(v), numbers + 8 * v, 8);
      bytes = _mm256_load_si256(reinterpret_cast<const __m256i*>(numbers));
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), bytes);
  }
}
// The most whole 32 columns of each row; how many.
template <BinaryFunction F, class B>
int64_t combine_most(const CombineRow& row, const VectorRead (&read)[2], const VectorWrite& write, bool is_signed) {
  constexpr bool kReal = is_real<B>;
  if (!kReal && row.rows == 1) {
    // One long row is many short ones.
    CombineRow parts = row;
    parts.rows = row.n / 32;
    parts.in_apart[0] = parts.in_apart[1] = parts.out_apart = 32;
    if (parts.rows > 0) combine_columns<F, kReal, B>(parts, read, write, is_signed, 0);
    return parts.rows * 32;
  }
  int64_t c = 0;
  for (; c + 32 <= row.n; c += 32)
    if (kReal || row.in_apart[1] == 0) combine_columns<F, true, B>(row, read, write, is_signed, c);
    else combine_columns<F, kReal, B>(row, read, write, is_signed, c);
  return c;
}
// kColumnsAtOnce columns, of which input 1 is the same in all rows.
template <BinaryFunction F>
void combine_with_same(const CombineRow& row, const VectorRead (&read)[2], const VectorWrite& write, bool is_signed) {
  combine_columns<F, true, uint8_t>(row, read, write, is_signed, 0);
}

}  // namespace
}  // namespace anydim::avx2

#include "core/kernels/quantized/combine_vectors.inl.h"
