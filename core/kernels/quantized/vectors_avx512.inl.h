// SPDX-License-Identifier: Apache-2.0
// Rows of quantized values in AVX-512, which divides quickly enough.
#pragma once

#include "core/kernels/simd/bytes_avx512.h"
// Reals stand before what is made of them.
#include "core/kernels/quantized/vectors.inl.h"

namespace anydim::avx512 {
namespace {

constexpr int64_t kColumnsAtOnce = 64;
// Whether quotients of results of at most `most` are numbers of at most 30 bits; no infinity is compared.
inline bool quotients_fit(float most, float scale) { return most <= scale * 0x1p29f && scale > 0.f && scale < 0x1p98f; }

// n columns of all rows, whose quotients are numbers of at most 30 bits: 64, of four vectors (V), or at most 32, of two. kOnce: input 1 is
// the same in all.
template <BinaryFunction F, int V, bool kOnce, class B>
__attribute__((noinline)) void combine_columns(const CombineRow& row, const VectorRead (&read)[2], const VectorWrite& write, bool is_signed,
                                               int64_t c, int64_t n) {
  const auto* a = static_cast<const uint8_t*>(row.in[0]) + c;
  const auto* b = static_cast<const B*>(row.in[1]) + c;
  auto* to = static_cast<uint8_t*>(row.out) + c;
  const int32_t moved = is_signed ? 128 : 0;
  const __m512i flip = _mm512_set1_epi8(is_signed ? static_cast<char>(0x80) : '\0');
  const __m512i zero[2] = {_mm512_set1_epi32(read[0].zero + moved), _mm512_set1_epi32(read[1].zero + moved)};
  const __m512i out_zero = _mm512_maskz_cvtps_epi32(0xFFFF, _mm512_add_ps(write.zero.v, _mm512_set1_ps(static_cast<float>(moved))));
  const __m512i in_order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const auto lanes_of = [n](int v) {
    if (V == 4) return int64_t{16};
    const int64_t left = n > 16 * v ? n - 16 * v : 0;
    return left < 16 ? left : 16;
  };
  const auto number = [&](int i, const uint8_t* p, int64_t lanes) {
    const __m128i bytes = _mm_xor_si128(_mm_maskz_loadu_epi8(Reals::first_of(lanes), p), _mm512_castsi512_si128(flip));
    return Reals{_mm512_cvtepi32_ps(_mm512_sub_epi32(_mm512_cvtepu8_epi32(bytes), zero[i]))} * read[i].scale;
  };
  const auto right = [&](const B* p, int64_t lanes) {
    if constexpr (is_real<B>) return Reals::load(p, lanes);
    else return number(1, p, lanes);
  };
  constexpr bool kAdds = F == BinaryFunction::mul && is_real<B>;
  Reals y[V], addend[V];
#pragma GCC unroll 4
  for (int v = 0; v < V; ++v) {
    y[v] = right(b + 16 * v, lanes_of(v));
    // -0 changes no number.
    if constexpr (kAdds) addend[v] = row.addend == nullptr ? Reals::of(-0.f) : Reals::load(row.addend + c + 16 * v, lanes_of(v));
  }
  for (int64_t r = 0; r < row.rows; ++r, a += row.in_apart[0], b += row.in_apart[1], to += row.out_apart) {
    __m512i whole[4] = {};
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) {
      Reals z = combined<F>(number(0, a + 16 * v, lanes_of(v)), kOnce ? y[v] : right(b + 16 * v, lanes_of(v)));
      if constexpr (kAdds) z = z + addend[v];
      whole[v] = _mm512_add_epi32(_mm512_maskz_cvtps_epi32(0xFFFF, (z / write.scale).v), out_zero);
    }
    const __m512i bytes = _mm512_packus_epi16(_mm512_packs_epi32(whole[0], whole[1]), _mm512_packs_epi32(whole[2], whole[3]));
    const __m512i ordered = _mm512_xor_si512(_mm512_permutexvar_epi32(in_order, bytes), flip);
    if (V == 4) _mm512_storeu_si512(to, ordered);
    else _mm512_mask_storeu_epi8(to, (UINT64_C(1) << n) - 1, ordered);
  }
}
template <BinaryFunction F, class B>
int64_t combine_most(const CombineRow& row, const VectorRead (&read)[2], const VectorWrite& write, bool is_signed) {
  constexpr bool kReal = is_real<B>;
  int64_t c = 0;
  if (!kReal && row.rows == 1 && row.n >= 128) {
    // One long row is many short ones.
    CombineRow parts = row;
    parts.rows = row.n / 64;
    parts.in_apart[0] = parts.in_apart[1] = parts.out_apart = 64;
    combine_columns<F, 4, kReal, B>(parts, read, write, is_signed, 0, 64);
    c = parts.rows * 64;
  }
  const bool once = kReal || row.in_apart[1] == 0 || row.rows == 1;
  for (int64_t n; c < row.n; c += n) {
    n = row.n - c >= 64 ? 64 : row.n - c < 32 ? row.n - c : 32;
    if (n < 64) combine_columns<F, 2, kReal, B>(row, read, write, is_signed, c, n);
    else if (once) combine_columns<F, 4, true, B>(row, read, write, is_signed, c, n);
    else combine_columns<F, 4, kReal, B>(row, read, write, is_signed, c, n);
  }
  return row.n;
}
// kColumnsAtOnce columns, of which input 1 is the same in all rows.
template <BinaryFunction F>
void combine_with_same(const CombineRow& row, const VectorRead (&read)[2], const VectorWrite& write, bool is_signed) {
  combine_columns<F, 4, true, uint8_t>(row, read, write, is_signed, 0, kColumnsAtOnce);
}

}  // namespace
}  // namespace anydim::avx512

#include "core/kernels/quantized/combine_vectors.inl.h"
