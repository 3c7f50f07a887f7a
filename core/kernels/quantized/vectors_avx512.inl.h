// SPDX-License-Identifier: Apache-2.0
// Sixteen 8-bit numbers at a time, as real numbers and back, in AVX-512: half the instructions of vectors_avx2.inl.h, which is included
// before it, INSIDE the same anonymous namespace. The same numbers.

// round(y) + zero, saturated; NaN gives 0. What leaves 32 bits becomes the least i32, which is saturated after it.
template <class To> inline __m128i to_sixteen(__m512 y, __m512 zero) {
  __m512 r = _mm512_add_ps(_mm512_roundscale_ps(y, _MM_FROUND_CUR_DIRECTION | _MM_FROUND_NO_EXC), zero);
  const __mmask16 number = _mm512_cmp_ps_mask(r, r, _CMP_ORD_Q);
  r = _mm512_min_ps(_mm512_set1_ps(std::numeric_limits<To>::max()), r);  // NaN stays
  const __m512i whole = _mm512_maskz_cvttps_epi32(number, r);
  return std::is_signed_v<To> ? _mm512_cvtsepi32_epi8(whole) : _mm512_cvtusepi32_epi8(_mm512_max_epi32(whole, _mm512_setzero_si512()));
}

// As many real numbers as a vector has.
struct Reals {
  static constexpr int kLanes = 16;
  __m512 v;
  static Reals of(float x) { return {_mm512_set1_ps(x)}; }
  // The first n elements.
  static __mmask16 first_of(int64_t n) { return static_cast<__mmask16>((1u << n) - 1); }
  static Reals load(const float* p, int64_t n) { return {_mm512_maskz_loadu_ps(first_of(n), p)}; }
  template <class From> static Reals numbers(const From* p, int64_t n, int32_t zero) {
    const __m128i bytes = _mm_maskz_loadu_epi8(first_of(n), p);
    const __m512i whole = std::is_signed_v<From> ? _mm512_cvtepi8_epi32(bytes) : _mm512_cvtepu8_epi32(bytes);
    return {_mm512_cvtepi32_ps(_mm512_sub_epi32(whole, _mm512_set1_epi32(zero)))};
  }
  void store(float* p, int64_t n) const { _mm512_mask_storeu_ps(p, first_of(n), v); }
  template <class To> void store_numbers(To* p, int64_t n, Reals zero) const {
    const __m128i bytes = to_sixteen<To>(v, zero.v);
    if (n == kLanes) _mm_storeu_si128(reinterpret_cast<__m128i*>(p), bytes);
    else _mm_mask_storeu_epi8(p, first_of(n), bytes);
  }
  Reals first() const { return {_mm512_broadcastss_ps(_mm512_castps512_ps128(v))}; }
  friend Reals operator+(Reals a, Reals b) { return {_mm512_add_ps(a.v, b.v)}; }
  friend Reals operator-(Reals a, Reals b) { return {_mm512_sub_ps(a.v, b.v)}; }
  friend Reals operator*(Reals a, Reals b) { return {_mm512_mul_ps(a.v, b.v)}; }
  friend Reals operator/(Reals a, Reals b) { return {_mm512_div_ps(a.v, b.v)}; }
};

// round(x / scale) + zero, saturated, of the most whole 64 of n elements; how many these are. The quotient is x times 1 / scale: both
// round to the same number unless it lies within 2^-13 of the middle of two (|quotient| < 2^9, beyond which all saturates), where NaN and
// what leaves 32 bits fall, too. Then it is divided.
template <class To> inline int64_t quantize_many(const float* x, float scale, float zero, int64_t n, To* to) {
  if (!(scale > 0x1p-100f && scale < 0x1p100f)) return 0;
  const __m512 by = _mm512_set1_ps(1.f / scale), clear = _mm512_set1_ps(0.5f - 0x1p-13f);
  const __m512i shift = _mm512_set1_epi16(static_cast<int16_t>(zero));
  const __m512i in_order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  int64_t at = 0;
  for (; at + 64 <= n; at += 64) {
    __m512i whole[4];
    __mmask16 unclear = 0;
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      const __m512 q = _mm512_mul_ps(_mm512_loadu_ps(x + at + 16 * v), by);
      whole[v] = _mm512_maskz_cvtps_epi32(0xFFFF, q);
      const __m512 away = _mm512_abs_ps(_mm512_sub_ps(q, _mm512_maskz_cvtepi32_ps(0xFFFF, whole[v])));
      unclear = static_cast<__mmask16>(unclear | _mm512_cmp_ps_mask(away, clear, _CMP_NLE_UQ));
    }
    if (__builtin_expect(unclear != 0, 0)) {
      for (int v = 0; v < 4; ++v)
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + at + 16 * v),
                         to_sixteen<To>(_mm512_div_ps(_mm512_loadu_ps(x + at + 16 * v), _mm512_set1_ps(scale)), _mm512_set1_ps(zero)));
      continue;
    }
    const __m512i first = _mm512_adds_epi16(_mm512_packs_epi32(whole[0], whole[1]), shift);
    const __m512i second = _mm512_adds_epi16(_mm512_packs_epi32(whole[2], whole[3]), shift);
    const __m512i packed = std::is_signed_v<To> ? _mm512_packs_epi16(first, second) : _mm512_packus_epi16(first, second);
    _mm512_storeu_si512(to + at, _mm512_permutexvar_epi32(in_order, packed));
  }
  return at;
}

// Of the columns that finish_tile() is about, by vectors.
struct ColumnVectors {
  __m512i offset, zero;
  __m512 scale, bias, out_scale;
  __m512i out_zero, least;
};

// What follows the sums of rows, for V vectors of columns from `c` on; `f` as finish_bytes() of vectors_avx2.inl.h has it, but that
// IntColumns::tame holds. Then no quotient is NaN, none leaves 32 bits, and relu is the zero point as the least result. `source(r)`: where
// the sums of row r lie, int32_t or, as whole numbers, float. Rows whose bytes fill 64 are packed together. kPlain: no zero point of the
// right side, no bias, no relu.
template <int V, bool kPlain, class To, class Source>
inline void finish_tile(const RowFinish& f, const int32_t* row_sums, const Source& source, int32_t rows, int64_t columns, To* const* dst,
                        int64_t c) {
  constexpr int kRowsAtOnce = 4 / V;
  ColumnVectors k[V];
#pragma GCC unroll 2
  for (int v = 0; v < V; ++v) {
    const int64_t at = 16 * v;
    k[v].offset = _mm512_loadu_si512(f.offset + at);
    k[v].scale = _mm512_loadu_ps(f.scale + at);
    k[v].out_scale = _mm512_loadu_ps(f.out_scale + at);
    k[v].out_zero = _mm512_cvtps_epi32(_mm512_loadu_ps(f.out_zero + at));
    if constexpr (!kPlain) {
      k[v].zero = f.zero != nullptr ? _mm512_loadu_si512(f.zero + at) : _mm512_setzero_si512();
      k[v].bias = f.bias != nullptr ? _mm512_loadu_ps(f.bias + at) : _mm512_setzero_ps();  // the sign of a zero is lost anyway
      k[v].least = f.relu ? k[v].out_zero : _mm512_set1_epi32(std::numeric_limits<int32_t>::min());
    }
  }
  // Element i of a 128-bit part is a row's, of each part; see packing below.
  const __m512i in_order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const auto mask = static_cast<__mmask32>(columns >= 16 * V ? (UINT64_C(1) << 16 * V) - 1 : (UINT64_C(1) << columns) - 1);
  const bool whole_rows = columns >= 16 * V;
  for (int32_t r = 0; r < rows; r += kRowsAtOnce) {
    __m512i y[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      const int v = i % V;
      const int32_t row = r + i / V < rows ? r + i / V : rows - 1;
      const auto* const sums = source(row) + 16 * v;
      __m512i sum;
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(*sums)>, float>) sum = _mm512_cvttps_epi32(_mm512_loadu_ps(sums));
      else sum = _mm512_loadu_si512(sums);
      sum = _mm512_add_epi32(sum, k[v].offset);
      if constexpr (!kPlain)
        if (f.zero != nullptr) sum = _mm512_sub_epi32(sum, _mm512_mullo_epi32(k[v].zero, _mm512_set1_epi32(row_sums[row])));
      __m512 real = _mm512_mul_ps(_mm512_cvtepi32_ps(sum), k[v].scale);
      if constexpr (!kPlain)
        if (f.bias != nullptr) real = _mm512_add_ps(real, k[v].bias);
      y[i] = _mm512_add_epi32(_mm512_cvtps_epi32(_mm512_div_ps(real, k[v].out_scale)), k[v].out_zero);
      if constexpr (!kPlain) y[i] = _mm512_max_epi32(y[i], k[v].least);
    }
    const __m512i first = _mm512_packs_epi32(y[0], y[1]), second = _mm512_packs_epi32(y[2], y[3]);
    const __m512i packed = std::is_signed_v<To> ? _mm512_packs_epi16(first, second) : _mm512_packus_epi16(first, second);
    const __m512i bytes = _mm512_permutexvar_epi32(in_order, packed);
    if constexpr (V == 2) {
      const __m256i low = _mm512_castsi512_si256(bytes), high = _mm512_extracti64x4_epi64(bytes, 1);
      if (whole_rows) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(dst[r] + c), low);
        if (r + 1 < rows) _mm256_storeu_si256(reinterpret_cast<__m256i*>(dst[r + 1] + c), high);
      } else {
        _mm256_mask_storeu_epi8(dst[r] + c, mask, low);
        if (r + 1 < rows) _mm256_mask_storeu_epi8(dst[r + 1] + c, mask, high);
      }
    } else {
      const __m128i parts[4] = {_mm512_castsi512_si128(bytes), _mm512_extracti32x4_epi32(bytes, 1), _mm512_extracti32x4_epi32(bytes, 2),
                                _mm512_extracti32x4_epi32(bytes, 3)};
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i)
        if (r + i < rows) _mm_mask_storeu_epi8(dst[r + i] + c, static_cast<__mmask16>(mask), parts[i]);
    }
  }
}

// A row's columns side by side as f32.
inline void finish_reals(const int32_t* sums, const RowFinish& f, int64_t columns, float* to) {
  for (int64_t c = 0; c < columns; c += 16) {
    __m512i sum = _mm512_add_epi32(_mm512_loadu_si512(sums + c), _mm512_loadu_si512(f.offset + c));
    if (f.zero != nullptr) sum = _mm512_sub_epi32(sum, _mm512_mullo_epi32(_mm512_loadu_si512(f.zero + c), _mm512_set1_epi32(f.row_sum)));
    __m512 y = _mm512_mul_ps(_mm512_cvtepi32_ps(sum), _mm512_loadu_ps(f.scale + c));
    if (f.bias != nullptr) y = _mm512_add_ps(y, _mm512_loadu_ps(f.bias + c));
    if (f.relu) y = _mm512_max_ps(_mm512_setzero_ps(), y);  // NaN and -0 stay
    if (columns - c >= 16) _mm512_storeu_ps(to + c, y);
    else _mm512_mask_storeu_ps(to + c, Reals::first_of(columns - c), y);
  }
}
