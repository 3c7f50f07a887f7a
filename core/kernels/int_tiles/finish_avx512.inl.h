// SPDX-License-Identifier: Apache-2.0
// What follows sums in AVX-512; see finish.inl.h. Files define Sums before it, as for tiles.inl.h.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/kernels/int_tiles/finish_vectors.inl.h"
#include "core/kernels/int_tiles/sums.inl.h"
#include "core/kernels/simd/bytes_avx512.h"

namespace anydim::avx512 {
namespace {

// Where the sums of a row lie.
struct TileSumsAt {
  const int32_t* sums;
  const int32_t* operator()(int32_t row) const { return sums + row * kIntColumns; }
};

// Tame columns of bytes side by side, with no post-op but relu.
bool ends_in_bytes(const IntBlock& b, bool relu) {
  return b.divides && b.column.tame && b.dst_column_step == 1 && (b.result == DType::u8 || b.result == DType::i8) && !b.exact &&
         (relu || b.program->count == 0);
}
bool finish_tame(const IntBlock& b, bool relu, int32_t at, int32_t rows, int64_t column, int64_t columns, const TileSumsAt& source) {
  if (!ends_in_bytes(b, relu)) return false;
  RowFinish f = finish_of(b, column, relu);
  // The least number is the zero point's, often.
  if (relu && b.column.out_zero_is_least) f.relu = false;
  const int32_t* const row_sums = f.zero != nullptr ? b.row_sums + at : nullptr;
  const bool is_signed = b.result == DType::i8;
  const auto finish_as = [&](auto vectors, auto bias) {
    finish_tile<decltype(vectors)::value, decltype(bias)::value>(f, row_sums, source, rows, columns, b.dst + at, column, is_signed);
  };
  using One = std::integral_constant<int, 1>;
  using Two = std::integral_constant<int, 2>;
  if (columns <= 16) {
    if (f.bias == nullptr) finish_as(One{}, std::false_type{});
    else finish_as(One{}, std::true_type{});
  } else if (f.bias == nullptr) {
    finish_as(Two{}, std::false_type{});
  } else {
    finish_as(Two{}, std::true_type{});
  }
  return true;
}

// In one pass, what most tiles end with: f32 behind at most one short step, or bytes behind relu.
inline bool finish_in_registers(const IntBlock& b, bool relu, int32_t at, int32_t rows, int64_t column, int64_t columns,
                                const int32_t* sums) {
  if (b.exact || b.result == DType::i32) return false;
  if (b.result == DType::f32 && b.dst_column_step == 1) return finish_as_reals(b, relu, at, rows, column, columns, sums);
  if (!relu && b.program->count > 0) return false;
  if (finish_tame(b, relu, at, rows, column, columns, TileSumsAt{sums})) return true;
  RowFinish f = finish_of(b, column, relu);
  const auto rows_as = [&](auto tag) {
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
    finish_reals(sums + r * kIntColumns, f, whole, real + r * kIntColumns);
  }
}

// Two rows of a panel.
template <bool kFew> inline void store_pair(__m512i bytes, __mmask32 columns, std::byte* const* dst, int64_t column) {
  const __m256i rows[2] = {_mm512_castsi512_si256(bytes), _mm512_extracti64x4_epi64(bytes, 1)};
#pragma GCC unroll 2
  for (int r = 0; r < 2; ++r) {
    if constexpr (kFew) _mm256_mask_storeu_epi8(dst[r] + column, columns, rows[r]);
    else _mm256_storeu_si256(reinterpret_cast<__m256i*>(dst[r] + column), rows[r]);
  }
}
// R rows of a panel of 32 columns, or of 17 to 24 (kThree: of three quarters, the third in half a vector, which takes half the
// time on Zen 4), from sums in registers to bytes: sums go through memory only where a pair of rows is in doubt (quick_value()). These
// pairs are bits of the result, by their first row, and their sums with offsets lie in `sums`.
template <int R, bool kThree, bool kBias>
__attribute__((noinline)) uint32_t sums_to_bytes(const SumsOf& of, const std::byte* panel, const RowFinish& f, const FinishVectors<2>& k,
                                                 std::byte* const* dst, int64_t column, int32_t* sums) {
  const auto second_of = [](const auto* p) {
    if constexpr (kThree) return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    else return _mm512_loadu_si512(p);
  };
  __m512i acc[R];
  decltype(second_of(panel)) rest[R];
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) acc[r] = _mm512_loadu_si512(f.offset), rest[r] = second_of(f.offset + 16);
  for (int64_t segment = 0; segment < of.segments; ++segment) {
    const std::byte* a[R];
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) a[r] = of.rows[r * of.segments + segment];
    for (int64_t at = 0; at < of.segment_bytes; at += kIntStepBytes, panel += kIntColumns * kIntStepBytes) {
      const __m512i w = _mm512_loadu_si512(panel);
      const auto w_rest = second_of(panel + 64);
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r) {
        const __m512i x = Sums::broadcast(a[r] + at).v;
        acc[r] = _mm512_dpbusd_epi32(acc[r], x, w);
        if constexpr (kThree) rest[r] = _mm256_dpbusd_epi32(rest[r], _mm512_castsi512_si256(x), w_rest);
        else rest[r] = _mm512_dpbusd_epi32(rest[r], x, w_rest);
      }
      // Each sum stays in its register: GCC 12 copies them otherwise, since what follows reads them, too.
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r) asm volatile("" : "+v"(acc[r]), "+v"(rest[r]));
    }
  }
  asm volatile("" ::: "memory");  // what is one per column is loaded after the sums, which need all registers
  uint32_t doubtful = 0;
#pragma GCC unroll 16
  for (int r = 0; r < R; r += 2) {
    __mmask16 clear = 0xFFFF;
    __m512i y[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      const int v = i % 2;
      if constexpr (kThree) y[i] = v == 0 ? acc[r + i / 2] : _mm512_zextsi256_si512(rest[r + i / 2]);
      else y[i] = v == 0 ? acc[r + i / 2] : rest[r + i / 2];
    }
    const __m512i whole[4] = {y[0], y[1], y[2], y[3]};
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      const int v = i % 2;
      __m512 real = _mm512_cvtepi32_ps(whole[i]);
      if constexpr (kBias) real = _mm512_add_ps(_mm512_mul_ps(real, _mm512_loadu_ps(f.scale + 16 * v)), _mm512_loadu_ps(f.bias + 16 * v));
      y[i] = quick_value(real, k.quick[v], k.centre[v], k.low, &clear);
    }
    if (__builtin_expect(clear != 0xFFFF, 0)) {
      doubtful |= 1u << r;
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) _mm512_storeu_si512(sums + (r + i / 2) * kIntColumns + i % 2 * 16, whole[i]);
    }
    store_pair<kThree>(finish_packed(k, y), k.columns, dst + r, column);
  }
  return doubtful;
}

// What sums_to_bytes() wants to know of a panel of whole tiles, if it is for them; other tiles are few.
struct WholeTiles {
  WholeTiles(const IntBlock& b, bool relu, int64_t panel, int64_t columns)
      : suits((columns == kIntColumns || (columns > 16 && columns <= 24)) && b.from.kind == IntSource::Kind::rows &&
              b.column.quick != nullptr && ends_in_bytes(b, relu)),
        is_signed(b.result == DType::i8),
        few(columns < kIntColumns),
        f(finish_of(b, panel * kIntColumns, relu && !b.column.out_zero_is_least)) {
    if (!suits) return;
    k = finish_vectors<2>(f, is_signed);
    k.columns = static_cast<__mmask32>((UINT64_C(1) << columns) - 1);
  }
  bool suits, is_signed, few;
  RowFinish f;
  FinishVectors<2> k;
};
void whole_tile_to_bytes(const IntBlock& b, const WholeTiles& w, int32_t at, int64_t panel, int32_t* sums) {
  constexpr int kRows = Sums::kRows;
  const SumsOf of{b.from.rows + at * b.segments, b.segments, b.steps / b.segments * kIntStepBytes};
  const std::byte* const from = b.panels + panel * b.steps * kIntColumns * kIntStepBytes;
  const int64_t column = panel * kIntColumns;
  std::byte* const* const dst = b.dst + at;
  using ToBytes =
      uint32_t (*)(const SumsOf&, const std::byte*, const RowFinish&, const FinishVectors<2>&, std::byte* const*, int64_t, int32_t*);
  static constexpr ToBytes functions[2][2] = {{sums_to_bytes<kRows, false, false>, sums_to_bytes<kRows, false, true>},
                                              {sums_to_bytes<kRows, true, false>, sums_to_bytes<kRows, true, true>}};
  uint32_t doubtful = functions[w.few][w.f.bias != nullptr](of, from, w.f, w.k, dst, column, sums);
  if (__builtin_expect(doubtful == 0, 1)) return;
  RowFinish f = w.f;
  static constexpr int32_t kNoOffset[kIntColumns] = {};
  f.offset = kNoOffset;
  for (; doubtful != 0; doubtful &= doubtful - 1) {
    const int r = __builtin_ctz(doubtful);
    const __m512i bytes = finish_by_division<2>(f, w.k, nullptr, TileSumsAt{sums}, r, kRows, w.is_signed);
    if (w.few) store_pair<true>(bytes, w.k.columns, dst + r, column);
    else store_pair<false>(bytes, w.k.columns, dst + r, column);
  }
}

class TilesAtOnce {
 public:
  TilesAtOnce(const IntBlock& b, bool relu, int64_t panel, int64_t columns) : block_(b), whole_(b, relu, panel, columns), panel_(panel) {}
  bool finish(int32_t at, int32_t rows, int32_t* sums) const {
    if (!whole_.suits || rows != Sums::kRows) return false;
    whole_tile_to_bytes(block_, whole_, at, panel_, sums);
    return true;
  }

 private:
  const IntBlock& block_;
  WholeTiles whole_;
  int64_t panel_;
};

}  // namespace
}  // namespace anydim::avx512
