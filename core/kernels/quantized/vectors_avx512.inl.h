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
    _mm_mask_storeu_epi8(p, first_of(n), to_sixteen<To>(v, zero.v));
  }
  Reals first() const { return {_mm512_broadcastss_ps(_mm512_castps512_ps128(v))}; }
  friend Reals operator+(Reals a, Reals b) { return {_mm512_add_ps(a.v, b.v)}; }
  friend Reals operator-(Reals a, Reals b) { return {_mm512_sub_ps(a.v, b.v)}; }
  friend Reals operator*(Reals a, Reals b) { return {_mm512_mul_ps(a.v, b.v)}; }
  friend Reals operator/(Reals a, Reals b) { return {_mm512_div_ps(a.v, b.v)}; }
};

// Up to 32 columns side by side as bytes; as finish_bytes of vectors_avx2.inl.h.
template <class To> inline void finish_wide(const int32_t* sums, const RowFinish& f, int64_t columns, To* to) {
  const __m512 least = _mm512_set1_ps(f.relu ? 0.f : -std::numeric_limits<float>::infinity());
  for (int64_t c = 0; c < columns; c += 16) {
    const __m512i sum = _mm512_add_epi32(_mm512_loadu_si512(sums + c), _mm512_loadu_si512(f.offset + c));
    __m512 y = _mm512_mul_ps(_mm512_cvtepi32_ps(sum), _mm512_loadu_ps(f.scale + c));
    if (f.bias != nullptr) y = _mm512_add_ps(y, _mm512_loadu_ps(f.bias + c));
    y = _mm512_div_ps(_mm512_max_ps(least, y), _mm512_loadu_ps(f.out_scale + c));  // NaN and -0 stay
    const __m128i bytes = to_sixteen<To>(y, _mm512_loadu_ps(f.out_zero + c));
    const int64_t n = columns - c < 16 ? columns - c : 16;
    _mm_mask_storeu_epi8(to + c, static_cast<__mmask16>((1u << n) - 1), bytes);
  }
}
