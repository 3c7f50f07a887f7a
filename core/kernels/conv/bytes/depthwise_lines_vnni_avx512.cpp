// SPDX-License-Identifier: Apache-2.0
// The body of depthwise_lines.h with AVX-512 VNNI: a step is four bytes.
#include "core/kernels/conv/bytes/depthwise_lines.h"

#include "core/kernels/simd/avx512.h"

#include <type_traits>

namespace anydim::avx512 {
namespace {

constexpr int kPositions = 4;  // whose sums are made together
constexpr bool kSumsInMemory = false;

// Vectors of 64 bytes.
struct Wide {
  static constexpr int64_t kBytes = 64, kTaps = 4;
  using Whole = __m512i;
  using Real = __m512;
  using Mask = __mmask64;
  static Mask mask(int64_t n) { return n >= kBytes ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1; }
  static Whole load(const void* p) { return _mm512_loadu_si512(p); }
  static Whole load(const void* p, Mask m) { return _mm512_maskz_loadu_epi8(m, p); }
  static void store(void* p, Whole v) { _mm512_storeu_si512(p, v); }
  static void store(void* p, Whole v, Mask m) { _mm512_mask_storeu_epi8(p, m, v); }
  static Real reals(const float* p) { return _mm512_loadu_ps(p); }
  static Whole bytes(uint8_t x) { return _mm512_set1_epi8(static_cast<char>(x)); }
  static Whole flip(Whole v) { return _mm512_xor_si512(v, bytes(0x80)); }
  static Whole low8(Whole a, Whole b) { return _mm512_unpacklo_epi8(a, b); }
  static Whole high8(Whole a, Whole b) { return _mm512_unpackhi_epi8(a, b); }
  static Whole low16(Whole a, Whole b) { return _mm512_unpacklo_epi16(a, b); }
  static Whole high16(Whole a, Whole b) { return _mm512_unpackhi_epi16(a, b); }
  // A position's numbers as entries hold them, and an entry of four positions.
  using Position = Whole;
  static Position position(Whole v, bool is_signed) { return is_signed ? flip(v) : v; }
  static void put(std::byte* to, const Position (&x)[kTaps]) {
    const Whole low_ab = low8(x[0], x[1]), high_ab = high8(x[0], x[1]), low_cd = low8(x[2], x[3]), high_cd = high8(x[2], x[3]);
    store(to, low16(low_ab, low_cd));
    store(to + kBytes, high16(low_ab, low_cd));
    store(to + 2 * kBytes, low16(high_ab, high_cd));
    store(to + 3 * kBytes, high16(high_ab, high_cd));
  }
  static Whole zero() { return _mm512_setzero_si512(); }
  static Whole dot(Whole acc, Whole a, Whole w) { return _mm512_dpbusd_epi32(acc, a, w); }
  static Whole add(Whole a, Whole b) { return _mm512_add_epi32(a, b); }
  static Whole most(Whole a, Whole b) { return _mm512_max_epi32(a, b); }
  static Real real(Whole v) { return _mm512_cvtepi32_ps(v); }
  static Whole whole(Real v) { return _mm512_cvtps_epi32(v); }
  static Real mul(Real a, Real b) { return _mm512_mul_ps(a, b); }
  static Real add(Real a, Real b) { return _mm512_add_ps(a, b); }
  static Real div(Real a, Real b) { return _mm512_div_ps(a, b); }
  static Whole pack32(Whole a, Whole b) { return _mm512_packs_epi32(a, b); }
  static Whole packs16(Whole a, Whole b) { return _mm512_packs_epi16(a, b); }
  static Whole packus16(Whole a, Whole b) { return _mm512_packus_epi16(a, b); }
  static Whole sub(Whole a, Whole b) { return _mm512_sub_epi32(a, b); }
  static Whole mul_whole(Whole a, Whole b) { return _mm512_mullo_epi32(a, b); }
  static Whole words(uint32_t x) { return _mm512_set1_epi32(static_cast<int32_t>(x)); }
  static Real greater(Real a, Real b) { return _mm512_max_ps(a, b); }
  static Whole bits(Real v) { return _mm512_castps_si512(v); }
  static Real zero_real() { return _mm512_setzero_ps(); }
  static Real set(float x) { return _mm512_set1_ps(x); }
  static Real lesser(Real a, Real b) { return _mm512_min_ps(a, b); }
  static Real mul_add(Real a, Real b, Real c) { return _mm512_fmadd_ps(a, b, c); }
  // A quick_value() of bytes_avx512.h; `clear` keeps lanes.
  using Lanes = __mmask16;
  static Lanes all_lanes() { return 0xFFFF; }
  static bool doubtful(Lanes clear) { return clear != 0xFFFF; }
  static Whole quick_value(Whole q, Lanes* clear) {
    *clear = _mm512_mask_test_epi32_mask(*clear, q, words((1u << 14) - 4));
    return _mm512_srai_epi32(q, 14);
  }
  static void store_few(void* p, Whole v, int64_t n) { _mm512_mask_storeu_epi32(p, static_cast<__mmask16>((1u << n) - 1), v); }
  // Channels in order: part L of all vectors is vector L.
  static void put_in_order(Whole (&v)[kLineVectors]) {
    const Whole low01 = _mm512_shuffle_i32x4(v[0], v[1], 0x44), high01 = _mm512_shuffle_i32x4(v[0], v[1], 0xEE);
    const Whole low23 = _mm512_shuffle_i32x4(v[2], v[3], 0x44), high23 = _mm512_shuffle_i32x4(v[2], v[3], 0xEE);
    v[0] = _mm512_shuffle_i32x4(low01, low23, 0x88), v[1] = _mm512_shuffle_i32x4(low01, low23, 0xDD);
    v[2] = _mm512_shuffle_i32x4(high01, high23, 0x88), v[3] = _mm512_shuffle_i32x4(high01, high23, 0xDD);
  }
};
// Of 32.
struct Narrow {
  static constexpr int64_t kBytes = 32, kTaps = 4;
  using Whole = __m256i;
  using Real = __m256;
  using Mask = __mmask32;
  static Mask mask(int64_t n) { return static_cast<Mask>(n >= kBytes ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1); }
  static Whole load(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
  static Whole load(const void* p, Mask m) { return _mm256_maskz_loadu_epi8(m, p); }
  static void store(void* p, Whole v) { _mm256_storeu_si256(static_cast<__m256i*>(p), v); }
  static void store(void* p, Whole v, Mask m) { _mm256_mask_storeu_epi8(p, m, v); }
  static Real reals(const float* p) { return _mm256_loadu_ps(p); }
  static Whole bytes(uint8_t x) { return _mm256_set1_epi8(static_cast<char>(x)); }
  // Parts of 16 bytes, the first n.
  static __m128i part(const std::byte* p, int64_t n) { return _mm_maskz_loadu_epi8(static_cast<__mmask16>(mask(n)), p); }
  static __m128i part_of(Whole v) { return _mm256_castsi256_si128(v); }
  static Whole joined(__m128i a, __m128i b) { return _mm256_inserti128_si256(_mm256_castsi128_si256(a), b, 1); }
  static Whole swapped(Whole v) { return _mm256_permute2x128_si256(v, v, 1); }
  static Whole flip(Whole v) { return _mm256_xor_si256(v, bytes(0x80)); }
  static Whole low8(Whole a, Whole b) { return _mm256_unpacklo_epi8(a, b); }
  static Whole high8(Whole a, Whole b) { return _mm256_unpackhi_epi8(a, b); }
  static Whole low16(Whole a, Whole b) { return _mm256_unpacklo_epi16(a, b); }
  static Whole high16(Whole a, Whole b) { return _mm256_unpackhi_epi16(a, b); }
  // A position's numbers as entries hold them, and an entry of four positions.
  using Position = Whole;
  static Position position(Whole v, bool is_signed) { return is_signed ? flip(v) : v; }
  static void put(std::byte* to, const Position (&x)[kTaps]) {
    const Whole low_ab = low8(x[0], x[1]), high_ab = high8(x[0], x[1]), low_cd = low8(x[2], x[3]), high_cd = high8(x[2], x[3]);
    store(to, low16(low_ab, low_cd));
    store(to + kBytes, high16(low_ab, low_cd));
    store(to + 2 * kBytes, low16(high_ab, high_cd));
    store(to + 3 * kBytes, high16(high_ab, high_cd));
  }
  static Whole zero() { return _mm256_setzero_si256(); }
  static Whole dot(Whole acc, Whole a, Whole w) { return _mm256_dpbusd_epi32(acc, a, w); }
  static Whole add(Whole a, Whole b) { return _mm256_add_epi32(a, b); }
  static Whole most(Whole a, Whole b) { return _mm256_max_epi32(a, b); }
  static Real real(Whole v) { return _mm256_cvtepi32_ps(v); }
  static Whole whole(Real v) { return _mm256_cvtps_epi32(v); }
  static Real mul(Real a, Real b) { return _mm256_mul_ps(a, b); }
  static Real add(Real a, Real b) { return _mm256_add_ps(a, b); }
  static Real div(Real a, Real b) { return _mm256_div_ps(a, b); }
  static Whole pack32(Whole a, Whole b) { return _mm256_packs_epi32(a, b); }
  static Whole packs16(Whole a, Whole b) { return _mm256_packs_epi16(a, b); }
  static Whole packus16(Whole a, Whole b) { return _mm256_packus_epi16(a, b); }
  static Whole sub(Whole a, Whole b) { return _mm256_sub_epi32(a, b); }
  static Whole mul_whole(Whole a, Whole b) { return _mm256_mullo_epi32(a, b); }
  static Whole words(uint32_t x) { return _mm256_set1_epi32(static_cast<int32_t>(x)); }
  static Real greater(Real a, Real b) { return _mm256_max_ps(a, b); }
  static Whole bits(Real v) { return _mm256_castps_si256(v); }
  static Real zero_real() { return _mm256_setzero_ps(); }
  static Real set(float x) { return _mm256_set1_ps(x); }
  static Real lesser(Real a, Real b) { return _mm256_min_ps(a, b); }
  static Real mul_add(Real a, Real b, Real c) { return _mm256_fmadd_ps(a, b, c); }
  using Lanes = __mmask8;
  static Lanes all_lanes() { return 0xFF; }
  static bool doubtful(Lanes clear) { return clear != 0xFF; }
  static Whole quick_value(Whole q, Lanes* clear) {
    *clear = _mm256_mask_test_epi32_mask(*clear, q, words((1u << 14) - 4));
    return _mm256_srai_epi32(q, 14);
  }
  static void store_few(void* p, Whole v, int64_t n) { _mm256_mask_storeu_epi32(p, static_cast<__mmask8>((1u << n) - 1), v); }
  static void put_in_order(Whole (&v)[kLineVectors]) {
    const Whole low01 = _mm256_permute2x128_si256(v[0], v[1], 0x20), high01 = _mm256_permute2x128_si256(v[0], v[1], 0x31);
    const Whole low23 = _mm256_permute2x128_si256(v[2], v[3], 0x20), high23 = _mm256_permute2x128_si256(v[2], v[3], 0x31);
    v[0] = low01, v[1] = low23, v[2] = high01, v[3] = high23;
  }
};

}  // namespace
}  // namespace anydim::avx512

#include "core/kernels/conv/bytes/depthwise_lines.inl.h"

namespace anydim::avx512 {
namespace {

void run_lines(const DepthwiseLines& job) noexcept {
  if (job.narrow) rows_of_tiles<Narrow>(job);
  else rows_of_tiles<Wide>(job);
}

}  // namespace
}  // namespace anydim::avx512

namespace anydim {

constinit const DepthwiseLinesForm DepthwiseLinesForm::avx512_vnni = {
    avx512::run_lines, "depthwise.byte_steps64.twins.measured", 4, kLineChannels, 4, false, true};

}  // namespace anydim
