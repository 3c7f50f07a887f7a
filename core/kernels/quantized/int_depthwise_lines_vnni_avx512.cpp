// SPDX-License-Identifier: Apache-2.0
// The body of int_depthwise_lines.h with AVX-512 VNNI.
#include "core/kernels/quantized/int_depthwise_lines.h"

// GCC 12 takes the deliberately undefined operands inside its own intrinsics for a mistake (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <immintrin.h>

#include <type_traits>

namespace anydim {
namespace {

constexpr int kPositions = 4;  // whose sums are made together

// Vectors of 64 bytes.
struct Wide {
  static constexpr int64_t kBytes = 64, kParts = 4;
  using Whole = __m512i;
  using Real = __m512;
  using Mask = __mmask64;
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
  static Real mul_add(Real a, Real b, Real c) { return _mm512_fmadd_ps(a, b, c); }
  // A quick_number() of vectors_avx512.inl.h; `clear` keeps lanes.
  using Lanes = __mmask16;
  static constexpr Lanes kAllLanes = 0xFFFF;
  static Whole quick_number(Whole q, Lanes* clear) {
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
  static constexpr int64_t kBytes = 32, kParts = 2;
  using Whole = __m256i;
  using Real = __m256;
  using Mask = __mmask32;
  static Whole load(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
  static Whole load(const void* p, Mask m) { return _mm256_maskz_loadu_epi8(m, p); }
  static void store(void* p, Whole v) { _mm256_storeu_si256(static_cast<__m256i*>(p), v); }
  static void store(void* p, Whole v, Mask m) { _mm256_mask_storeu_epi8(p, m, v); }
  static Real reals(const float* p) { return _mm256_loadu_ps(p); }
  static Whole bytes(uint8_t x) { return _mm256_set1_epi8(static_cast<char>(x)); }
  static Whole flip(Whole v) { return _mm256_xor_si256(v, bytes(0x80)); }
  static Whole low8(Whole a, Whole b) { return _mm256_unpacklo_epi8(a, b); }
  static Whole high8(Whole a, Whole b) { return _mm256_unpackhi_epi8(a, b); }
  static Whole low16(Whole a, Whole b) { return _mm256_unpacklo_epi16(a, b); }
  static Whole high16(Whole a, Whole b) { return _mm256_unpackhi_epi16(a, b); }
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
  static Real mul_add(Real a, Real b, Real c) { return _mm256_fmadd_ps(a, b, c); }
  using Lanes = __mmask8;
  static constexpr Lanes kAllLanes = 0xFF;
  static Whole quick_number(Whole q, Lanes* clear) {
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

template <class V> typename V::Mask mask_of(int64_t channels) {
  return static_cast<typename V::Mask>(channels >= V::kBytes ? ~UINT64_C(0) : (UINT64_C(1) << channels) - 1);
}

// The entries [0, count) of a line of input row y, of which entry 0 is that of output position x.
template <class V> void make_line(const DepthwiseLines& j, int64_t y, int64_t x, int64_t count, std::byte* to) {
  const auto mask = mask_of<V>(j.channels);
  const std::byte* const row = j.src + y * j.src_row;
  const auto channels_at = [&](int64_t position) {
    if (position < 0 || position >= j.in[1]) return V::bytes(j.outside);
    const std::byte* from = row + position * j.src_pixel;
    typename V::Whole v;
    if (j.src_channel == 1) {
      v = V::load(from, mask);
    } else {
      std::byte apart[V::kBytes] = {};
      for (int64_t c = 0; c < j.channels; ++c) apart[c] = from[c * j.src_channel];
      v = V::load(apart);
    }
    return j.is_signed ? V::flip(v) : v;
  };
  const auto put = [&](typename V::Whole a, typename V::Whole b, typename V::Whole c, typename V::Whole d) {
    const auto low_ab = V::low8(a, b), high_ab = V::high8(a, b), low_cd = V::low8(c, d), high_cd = V::high8(c, d);
    V::store(to, V::low16(low_ab, low_cd));
    V::store(to + V::kBytes, V::high16(low_ab, low_cd));
    V::store(to + 2 * V::kBytes, V::low16(high_ab, high_cd));
    V::store(to + 3 * V::kBytes, V::high16(high_ab, high_cd));
    to += kLineVectors * V::kBytes;
  };
  int64_t at = x * j.stride[1] - j.pad[1];
  if (j.stride[1] == 1 && j.dilation[1] == 1) {
    // Neighbouring entries share three of four.
    auto a = channels_at(at), b = channels_at(at + 1), c = channels_at(at + 2);
    for (int64_t e = 0; e < count; ++e, ++at) {
      const auto d = channels_at(at + 3);
      put(a, b, c, d);
      a = b, b = c, c = d;
    }
    return;
  }
  for (int64_t e = 0; e < count; ++e, at += j.stride[1])
    put(channels_at(at), channels_at(at + j.dilation[1]), channels_at(at + 2 * j.dilation[1]), channels_at(at + 3 * j.dilation[1]));
}

// Where a kernel row's lines lie: entries are `apart` bytes apart, 0 where the row is outside.
struct KernelRow {
  const std::byte* line;
  int64_t apart;
};

// P positions from x (of the tile) on, all of whose sums stay in registers. kZero: the weights have zero points, which the sum of the
// taps' numbers is multiplied by.
template <class V, int P, bool kZero>
inline __attribute__((always_inline)) void add_up(const DepthwiseLines& j, const KernelRow* rows, int64_t x,
                                                  typename V::Whole (&acc)[P][kLineVectors]) {
  typename V::Whole of_taps[P][kLineVectors];
#pragma GCC unroll 4
  for (int p = 0; p < P; ++p)
#pragma GCC unroll 4
    for (int v = 0; v < kLineVectors; ++v) {
      acc[p][v] = V::zero();
      if constexpr (kZero) of_taps[p][v] = V::zero();
    }
  const std::byte* w = j.weights;
  const int64_t steps = j.steps(), step_entries = j.step_entries(), fill = steps * kLineTaps - j.kernel[1];
  for (int64_t k = 0; k < j.kernel[0]; ++k) {
    const KernelRow row = rows[k];
    const std::byte* at = row.line + x * row.apart;
    for (int64_t s = 0; s < steps; ++s, at += step_entries * row.apart, w += kLineVectors * V::kBytes) {
      // What fills the last step up is no tap.
      [[maybe_unused]] const auto ones = V::words(s + 1 < steps ? 0x01010101u : 0x01010101u >> (8 * fill));
#pragma GCC unroll 4
      for (int v = 0; v < kLineVectors; ++v) {
        const auto weights = V::load(w + v * V::kBytes);
#pragma GCC unroll 4
        for (int p = 0; p < P; ++p) {
          const auto taps = V::load(at + p * row.apart + v * V::kBytes);
          acc[p][v] = V::dot(acc[p][v], taps, weights);
          if constexpr (kZero) of_taps[p][v] = V::dot(of_taps[p][v], taps, ones);
        }
      }
    }
  }
  if constexpr (kZero) {
#pragma GCC unroll 4
    for (int v = 0; v < kLineVectors; ++v) {
      const auto zero = V::load(j.zero + v * (V::kBytes / 4));
#pragma GCC unroll 4
      for (int p = 0; p < P; ++p) acc[p][v] = V::sub(acc[p][v], V::mul_whole(zero, of_taps[p][v]));
    }
  }
}

using Result = DepthwiseLines::Result;

template <class V> inline void store_position(const DepthwiseLines& j, const typename V::Whole (&y)[kLineVectors], std::byte* dst) {
  const auto first = V::pack32(y[0], y[1]), second = V::pack32(y[2], y[3]);
  const auto bytes = j.result == Result::i8 ? V::packs16(first, second) : V::packus16(first, second);
  if (j.channels >= V::kBytes) V::store(dst, bytes);
  else V::store(dst, bytes, mask_of<V>(j.channels));
}

template <class V, int P, bool kZero>
__attribute__((noinline)) void positions_to_bytes(const DepthwiseLines& j, const KernelRow* rows, int64_t x, std::byte* dst) {
  constexpr int64_t kElements = V::kBytes / 4;
  typename V::Whole acc[P][kLineVectors];
  add_up<V, P, kZero>(j, rows, x, acc);
#pragma GCC unroll 4
  for (int v = 0; v < kLineVectors; ++v) {
    const auto offset = V::load(j.offset + v * kElements), zero = V::load(j.out_zero + v * kElements),
               least = V::load(j.least + v * kElements);
    const auto scale = V::reals(j.scale + v * kElements), out_scale = V::reals(j.out_scale + v * kElements);
#pragma GCC unroll 4
    for (int p = 0; p < P; ++p) {
      auto y = V::mul(V::real(V::add(acc[p][v], offset)), scale);
      if (j.bias != nullptr) y = V::add(y, V::reals(j.bias + v * kElements));
      acc[p][v] = V::most(V::add(V::whole(V::div(y, out_scale)), zero), least);
    }
  }
#pragma GCC unroll 4
  for (int p = 0; p < P; ++p) store_position<V>(j, acc[p], dst + p * j.dst_pixel);
}
// Without dividing; positions in doubt are computed again.
template <class V, int P> void positions_to_bytes_quickly(const DepthwiseLines& j, const KernelRow* rows, int64_t x, std::byte* dst) {
  constexpr int64_t kElements = V::kBytes / 4;
  typename V::Whole acc[P][kLineVectors];
  typename V::Lanes clear[P];
  add_up<V, P, false>(j, rows, x, acc);
#pragma GCC unroll 4
  for (auto& lanes : clear) lanes = V::kAllLanes;
#pragma GCC unroll 4
  for (int v = 0; v < kLineVectors; ++v) {
    const auto offset = V::load(j.offset + v * kElements), least = V::load(j.least + v * kElements);
    const auto quick = V::reals(j.quick + v * kElements), centre = V::reals(j.centre + v * kElements);
#pragma GCC unroll 4
    for (int p = 0; p < P; ++p) {
      auto y = V::real(V::add(acc[p][v], offset));
      if (j.bias != nullptr) y = V::add(V::mul(y, V::reals(j.scale + v * kElements)), V::reals(j.bias + v * kElements));
      acc[p][v] = V::most(V::quick_number(V::whole(V::mul_add(y, quick, centre)), &clear[p]), least);
    }
  }
#pragma GCC unroll 4
  for (int p = 0; p < P; ++p) store_position<V>(j, acc[p], dst + p * j.dst_pixel);
#pragma GCC unroll 4
  for (int p = 0; p < P; ++p)
    if (__builtin_expect(clear[p] != V::kAllLanes, 0)) positions_to_bytes<V, 1, false>(j, rows, x + p, dst + p * j.dst_pixel);
}

// As f32, or the sums themselves; `apart` bytes from position to position.
template <class V, int P, bool kZero, bool kReal>
void positions_to_words(const DepthwiseLines& j, const KernelRow* rows, int64_t x, std::byte* to, int64_t apart) {
  constexpr int64_t kElements = V::kBytes / 4;
  typename V::Whole acc[P][kLineVectors];
  add_up<V, P, kZero>(j, rows, x, acc);
  if constexpr (kReal) {
#pragma GCC unroll 4
    for (int v = 0; v < kLineVectors; ++v) {
      const auto offset = V::load(j.offset + v * kElements);
      const auto scale = V::reals(j.scale + v * kElements);
#pragma GCC unroll 4
      for (int p = 0; p < P; ++p) {
        auto y = V::mul(V::real(V::add(acc[p][v], offset)), scale);
        if (j.bias != nullptr) y = V::add(y, V::reals(j.bias + v * kElements));
        if (j.relu) y = V::greater(V::zero_real(), y);  // NaN and -0 stay
        acc[p][v] = V::bits(y);
      }
    }
  }
#pragma GCC unroll 4
  for (int p = 0; p < P; ++p, to += apart) {
    V::put_in_order(acc[p]);
    int64_t left = j.channels;
#pragma GCC unroll 4
    for (int v = 0; v < kLineVectors; ++v, left -= kElements) {
      if (left >= kElements) V::store(to + v * V::kBytes, acc[p][v]);
      else if (left > 0) V::store_few(to + v * V::kBytes, acc[p][v], left);
    }
  }
}

// `count` positions of a tile's row, by kPositions, two and one.
template <int kMost, class F> void by_positions(int64_t count, const F& of) {
  int64_t x = 0;
  for (; x + kMost <= count; x += kMost) of(std::integral_constant<int, kMost>{}, x);
  if (kMost > 2 && count - x >= 2) of(std::integral_constant<int, 2>{}, x), x += 2;
  if (x < count) of(std::integral_constant<int, 1>{}, x);
}

template <class V, bool kZero> void row_of_tile(const DepthwiseLines& j, const KernelRow* rows, int64_t h, int64_t x0, int64_t count) {
  // The sums of taps take as many registers again.
  constexpr int kMost = kZero ? kPositions / 2 : kPositions;
  std::byte* const dst = j.dst + h * j.dst_row + x0 * j.dst_pixel;
  if (j.result == Result::u8 || j.result == Result::i8) {
    const auto at = [&](int64_t x) { return dst + x * j.dst_pixel; };
    if constexpr (!kZero)
      if (j.quick != nullptr)
        return by_positions<kPositions>(
            count, [&](auto positions, int64_t x) { positions_to_bytes_quickly<V, decltype(positions)::value>(j, rows, x, at(x)); });
    return by_positions<kPositions / 2>(
        count, [&](auto positions, int64_t x) { positions_to_bytes<V, decltype(positions)::value, kZero>(j, rows, x, at(x)); });
  }
  const bool tiled = j.tile_results != nullptr;
  const int64_t apart = tiled ? kLineChannels * 4 : j.dst_pixel;
  std::byte* const to = tiled ? j.tile_results : dst;
  by_positions<kMost>(count, [&](auto positions, int64_t x) {
    constexpr int P = decltype(positions)::value;
    if (j.result == Result::f32) positions_to_words<V, P, kZero, true>(j, rows, x, to + x * apart, apart);
    else positions_to_words<V, P, kZero, false>(j, rows, x, to + x * apart, apart);
  });
  if (tiled) j.take(j.context, h, x0, count);
}

template <class V> void rows_of_tiles(const DepthwiseLines& j) {
  constexpr int64_t kMostRows = 256;  // of a kernel: more are refused
  const int64_t reach = j.reach(), entry = j.entry_bytes();
  alignas(64) std::byte outside[kLineVectors * V::kBytes];
  for (int v = 0; v < kLineVectors; ++v) V::store(outside + v * V::kBytes, V::bytes(j.outside));
  KernelRow rows[kMostRows];
  for (int64_t x0 = 0; x0 < j.out_width; x0 += j.tile) {
    const int64_t count = j.out_width - x0 < j.tile ? j.out_width - x0 : j.tile, entries = j.entries(count);
    int64_t made = j.h_begin * j.stride[0] - j.pad[0];  // lines below this one are there
    for (int64_t h = j.h_begin; h < j.h_end; ++h) {
      const int64_t top = h * j.stride[0] - j.pad[0];
      if (made < top) made = top;
      for (; made < top + reach; ++made)
        if (made >= 0 && made < j.in[0] && (j.dilation[0] == 1 || (made - top) % j.dilation[0] == 0 || j.stride[0] % j.dilation[0] != 0))
          make_line<V>(j, made, x0, entries, j.lines + (made + j.pad[0]) % reach * entries * entry);
      for (int64_t k = 0; k < j.kernel[0]; ++k) {
        const int64_t y = top + k * j.dilation[0];
        if (y >= 0 && y < j.in[0]) rows[k] = {j.lines + (y + j.pad[0]) % reach * entries * entry, entry};
        else rows[k] = {outside, 0};
      }
      if (j.zero != nullptr) row_of_tile<V, true>(j, rows, h, x0, count);
      else row_of_tile<V, false>(j, rows, h, x0, count);
    }
  }
}

}  // namespace

void depthwise_lines_vnni_avx512(const DepthwiseLines& job) noexcept {
  if (job.narrow) rows_of_tiles<Narrow>(job);
  else rows_of_tiles<Wide>(job);
}

}  // namespace anydim
