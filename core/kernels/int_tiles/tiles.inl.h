// SPDX-License-Identifier: Apache-2.0
// The integer engine for one instruction set: tiles of sums, and what follows the sums; rows.inl.h makes rows and panels. Include it
// INSIDE the anonymous namespace of int_tiles_<isa>.cpp, after the interpreter of post-ops and a type Sums:
//   Sums::kVectors vectors of columns at once, Sums::kWidth columns each, kRows rows of a tile; zero(), load(p) of a panel, broadcast(p)
//   of a row, dot(acc, a, w) and store(p); Number, the type of a row's numbers; kShift, what an i8 of the left side is moved by.
// Where the instruction set has AVX2, include bytes_avx2.inl.h before it.
// See engine.h for the design.

#include "core/kernels/int_tiles/rows.inl.h"

// --- packing of depthwise: a step is the same channel of kPerStep taps ------------------------------------------------------------

void pack_depthwise(const IntDepthwisePack& p) {
  const int64_t steps = (p.taps + kPerStep - 1) / kPerStep;
  for (int64_t n = 0; n < (p.channels + kIntColumns - 1) / kIntColumns * kIntColumns; ++n) {
    auto* const to = reinterpret_cast<Packed*>(p.panels) + n / kIntColumns * steps * kIntColumns * kPerStep;
    uint32_t total = 0;
    for (int64_t t = 0; t < steps * kPerStep; ++t) {
      int32_t v = 0;
      if (n < p.channels && t < p.taps) {
        const int64_t at = n * p.taps + t;
        v = p.dtype == DType::i8 ? reinterpret_cast<const int8_t*>(p.w)[at] : reinterpret_cast<const uint8_t*>(p.w)[at];
        if (p.zero != nullptr) v -= p.zero[n];
      }
      to[Sums::depthwise_place(t / kPerStep, n % kIntColumns, t % kPerStep)] = static_cast<Packed>(v);
      total += static_cast<uint32_t>(v);
    }
    p.sums[n] = static_cast<int32_t>(total);
  }
}

// --- sums -----------------------------------------------------------------------------------------------------------

#include "core/kernels/int_tiles/sums.inl.h"

template <class T> void take_sums(const T* const* rows_from, int32_t rows, int64_t panel, int64_t columns, int32_t* sums) {
  for (int32_t r = 0; r < rows; ++r) {
    const T* const from = rows_from[r] + panel * kIntColumns;
    int32_t* const to = sums + r * kIntColumns;
    if (columns == kIntColumns)
      for (int j = 0; j < kIntColumns; ++j) to[j] = static_cast<int32_t>(from[j]);
    else
      for (int64_t j = 0; j < columns; ++j) to[j] = static_cast<int32_t>(from[j]);
  }
}

void make_sums(const IntBlock& b, int32_t at, int32_t rows, int64_t panel, int64_t columns, int32_t* sums) {
  if (b.real_sums != nullptr) return take_sums(b.real_sums + at, rows, panel, columns, sums);
  if (b.whole_sums != nullptr) return take_sums(b.whole_sums + at, rows, panel, columns, sums);
  const std::byte* from = b.panels + panel * b.steps * kIntColumns * kIntStepBytes;
  if (b.taps != nullptr) {
    for (int32_t r = 0; r < rows; ++r) {
      const std::byte* const* taps = b.taps + (at + r) * b.steps * kPerStep;
      if (b.tap_dtype == DType::i8) Sums::depthwise<true>(taps, panel * kIntColumns, b.steps, from, columns, sums + r * kIntColumns);
      else Sums::depthwise<false>(taps, panel * kIntColumns, b.steps, from, columns, sums + r * kIntColumns);
    }
    return;
  }
  sums_of_panel(b, at, rows, from, columns, sums);
}

// --- what follows the sums ------------------------------------------------------------------------------------------

inline void add_offsets(const IntBlock& b, int32_t row, int64_t column, int32_t* sums) {
  const int32_t* const offset = b.column.offset + column;
  for (int j = 0; j < kIntColumns; ++j) sums[j] = static_cast<int32_t>(static_cast<uint32_t>(sums[j]) + static_cast<uint32_t>(offset[j]));
  if (b.column.zero == nullptr) return;
  const int32_t* const zero = b.column.zero + column;
  const auto of_row = static_cast<uint32_t>(b.row_sums[row]);
  for (int j = 0; j < kIntColumns; ++j)
    sums[j] = static_cast<int32_t>(static_cast<uint32_t>(sums[j]) - static_cast<uint32_t>(zero[j]) * of_row);
}

template <class T> inline void store_line(const T* __restrict from, int64_t n, int64_t step, std::byte* to) {
  T* const t = reinterpret_cast<T*>(to);
  if (step == 1 && n == kIntColumns) __builtin_memcpy(t, from, kIntColumns * sizeof(T));  // no call
  else if (step == 1) __builtin_memcpy(t, from, static_cast<size_t>(n) * sizeof(T));
  else
    for (int64_t j = 0; j < n; ++j) t[j * step] = from[j];
}

// Real numbers to whole ones; NaN gives 0.
template <class To> inline void to_whole(const IntBlock& b, int64_t column, const float* __restrict y, To* __restrict out) {
  constexpr bool kWide = std::is_same_v<To, int32_t>;
  constexpr float kLow = static_cast<float>(std::numeric_limits<To>::lowest());
  constexpr float kHigh = kWide ? 0x1.fffffep30f : static_cast<float>(std::numeric_limits<To>::max());
  const float* const scale = b.column.out_scale + column;
  const float* const zero = b.column.out_zero + column;
#ifdef __AVX2__
  if constexpr (sizeof(To) == 1) {
    for (int j = 0; j < kIntColumns; j += 8) {
      __m256 r = _mm256_loadu_ps(y + j);
      if (b.divides) r = _mm256_div_ps(r, _mm256_loadu_ps(scale + j));
      _mm_storel_epi64(reinterpret_cast<__m128i*>(out + j), to_eight<To>(r, _mm256_loadu_ps(zero + j)));
    }
    return;
  }
#endif
  alignas(64) float scaled[kIntColumns];
  if (b.divides) {
    for (int j = 0; j < kIntColumns; ++j) scaled[j] = y[j] / scale[j];
    y = scaled;
  }
  alignas(64) int32_t whole[kIntColumns];
  for (int j = 0; j < kIntColumns; ++j) {
    float r = __builtin_rintf(y[j]) + zero[j];
    const bool above = r > kHigh;
    r = r < kLow ? kLow : r;
    r = above ? kHigh : r;
    r = r != r ? 0.f : r;
    int32_t v = static_cast<int32_t>(r);
    if constexpr (kWide) v = above ? std::numeric_limits<int32_t>::max() : v;
    whole[j] = v;
  }
  for (int j = 0; j < kIntColumns; ++j) out[j] = static_cast<To>(whole[j]);
}

inline void store_real(const IntBlock& b, int32_t row, int64_t column, int64_t n, const float* y) {
  std::byte* const to = b.dst[row] + column * b.dst_column_step * (b.result == DType::f32 || b.result == DType::i32 ? 4 : 1);
  const auto whole = [&](auto tag) {
    alignas(64) decltype(tag) out[kIntColumns];
    to_whole(b, column, y, out);
    store_line(out, n, b.dst_column_step, to);
  };
  switch (b.result) {
    case DType::f32: store_line(y, n, b.dst_column_step, to); break;
    case DType::i8: whole(int8_t{}); break;
    case DType::u8: whole(uint8_t{}); break;
    default: whole(int32_t{}); break;
  }
}

#ifdef __AVX2__
RowFinish finish_of(const IntBlock& b, int64_t column, bool relu) {
  return {b.column.offset + column,
          b.column.zero != nullptr ? b.column.zero + column : nullptr,
          0,
          b.column.scale + column,
          b.column.bias != nullptr ? b.column.bias + column : nullptr,
          b.divides ? b.column.out_scale + column : nullptr,
          b.column.out_zero + column,
          relu,
          b.column.quick != nullptr ? b.column.quick + column : nullptr,
          b.column.quick != nullptr ? b.column.centre + column : nullptr};
}

#ifdef __AVX512F__
// Where the sums of a row lie.
struct TileSumsAt {
  const int32_t* sums;
  const int32_t* operator()(int32_t row) const { return sums + row * kIntColumns; }
};
struct RealSumsAt {
  const float* const* rows;
  int64_t column;
  const float* operator()(int32_t row) const { return rows[row] + column; }
};

// Tame columns of bytes side by side, with no post-op but relu.
bool ends_in_bytes(const IntBlock& b, bool relu) {
  return b.divides && b.column.tame && b.dst_column_step == 1 && (b.result == DType::u8 || b.result == DType::i8) && !b.exact &&
         (relu || b.program->count == 0);
}
template <class Source>
bool finish_tame(const IntBlock& b, bool relu, int32_t at, int32_t rows, int64_t column, int64_t columns, const Source& source) {
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
#endif

#include "core/kernels/int_tiles/finish_tiles.inl.h"

// In one pass, what most tiles end with: f32 behind at most one short step, or bytes behind relu.
bool finish_in_registers(const IntBlock& b, bool relu, int32_t at, int32_t rows, int64_t column, int64_t columns, const int32_t* sums) {
  if (b.exact || b.result == DType::i32) return false;
  if (b.result == DType::f32 && b.dst_column_step == 1) {
    const bool zero = b.column.zero != nullptr;
    using Function = void (*)(const IntBlock&, int32_t, int32_t, int64_t, int64_t, const int32_t*);
    static constexpr Function functions[][2] = {{reals_of_tile<After::nothing, false>, reals_of_tile<After::nothing, true>},
                                                {reals_of_tile<After::relu, false>, reals_of_tile<After::relu, true>},
                                                {reals_of_tile<After::hard_swish, false>, reals_of_tile<After::hard_swish, true>},
                                                {reals_of_tile<After::add, false>, reals_of_tile<After::add, true>}};
    const After after = after_of(b, relu);
    if (after == After::other) return false;
    functions[static_cast<int>(after)][zero](b, at, rows, column, columns, sums);
    return true;
  }
  if (!relu && b.program->count > 0) return false;
#ifdef __AVX512F__
  if (finish_tame(b, relu, at, rows, column, columns, TileSumsAt{sums})) return true;
#endif
  RowFinish f = finish_of(b, column, relu);
  const auto rows_as = [&](auto tag) {
#ifndef __AVX512F__
    if constexpr (sizeof(tag) == 1)
      if (f.zero == nullptr && f.out_scale != nullptr && b.dst_column_step == 1)
        return finish_bytes_of_rows<decltype(tag)>(sums, f, rows, columns, b.dst + at, column);
#endif
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
#endif

bool is_relu(const EpilogueProgram& p) {
  return p.count == 1 && p.steps[0].kind == PostOp::Kind::unary && p.steps[0].unary == UnaryFunction::relu;
}

// The sums of a tile as real numbers, before the post-ops but for relu; what lies beyond the columns may be anything.
void make_reals(const IntBlock& b, bool relu, int32_t at, int32_t rows, int64_t column, [[maybe_unused]] int64_t columns, int32_t* sums,
                float* real) {
#ifdef __AVX2__
  RowFinish f = finish_of(b, column, relu);
  const int64_t whole = (columns + 15) / 16 * 16;  // vectors: no tail
  for (int32_t r = 0; r < rows; ++r) {
    if (f.zero != nullptr) f.row_sum = b.row_sums[at + r];
#ifdef __AVX512F__
    finish_reals(sums + r * kIntColumns, f, whole, real + r * kIntColumns);
#else
    finish_row(sums + r * kIntColumns, f, whole, 1, real + r * kIntColumns);
#endif
  }
#else
  const float* const scale = b.column.scale + column;
  for (int32_t r = 0; r < rows; ++r) {
    int32_t* const s = sums + r * kIntColumns;
    float* const y = real + r * kIntColumns;
    add_offsets(b, at + r, column, s);
    if (b.column.bias != nullptr) {
      const float* const bias = b.column.bias + column;
      for (int j = 0; j < kIntColumns; ++j) y[j] = static_cast<float>(s[j]) * scale[j] + bias[j];
    } else {
      for (int j = 0; j < kIntColumns; ++j) y[j] = static_cast<float>(s[j]) * scale[j];
    }
    if (relu)
      for (int j = 0; j < kIntColumns; ++j) y[j] = y[j] < 0.f ? 0.f : y[j];
  }
#endif
}

__attribute__((noinline, noclone)) void finish(const IntBlock& b, int32_t at, int32_t rows, int64_t panel, int64_t columns, int32_t* sums) {
  const int64_t column = panel * kIntColumns;
  const EpilogueProgram& p = *b.program;
  const bool relu = is_relu(p);
#ifdef __AVX2__
  if (finish_in_registers(b, relu, at, rows, column, columns, sums)) return;
#endif
  if (b.exact) {
    for (int32_t r = 0; r < rows; ++r) {
      add_offsets(b, at + r, column, sums + r * kIntColumns);
      store_line(sums + r * kIntColumns, columns, b.dst_column_step, b.dst[at + r] + column * b.dst_column_step * 4);
    }
    return;
  }
  alignas(64) float real[kIntTileRows * kIntColumns];
  make_reals(b, relu, at, rows, column, columns, sums, real);
  const bool chain = !relu && p.count > 0;
  float* lines[kIntTileRows];
  for (int32_t r = 0; r < rows; ++r) lines[r] = real + r * kIntColumns;
  if (chain) {
    const float* operands[kMaxEpilogueOperands][kMaxEpilogueRows];
    for (int o = 0; o < p.operand_count; ++o)
      for (int32_t r = 0; r < rows; ++r) operands[o][r] = b.operands[o][p.walks[o].by_row ? at + r : 0] + column * p.walks[o].column_step;
    EpilogueTile tile;
    tile.sums = real;
    tile.sums_step = kIntColumns;
    tile.rows = rows;
    tile.columns = static_cast<int32_t>(columns);
    tile.operands = operands;
    float* to[kIntTileRows];
    tile.dst = lines;
    if (b.result == DType::f32) {  // at once
      for (int32_t r = 0; r < rows; ++r) to[r] = reinterpret_cast<float*>(b.dst[at + r]) + column * b.dst_column_step;
      tile.dst = to;
      tile.dst_column_step = b.dst_column_step;
    }
    run_epilogue(p, tile);
    if (b.result == DType::f32) return;
  }
  for (int32_t r = 0; r < rows; ++r) store_real(b, at + r, column, columns, lines[r]);
}

inline void offsets_of_row(uint32_t zero, const int32_t* __restrict all, const int32_t* __restrict sum, int32_t* __restrict to) {
  for (int j = 0; j < kIntColumns; ++j) to[j] = static_cast<int32_t>(static_cast<uint32_t>(all[j]) - zero * static_cast<uint32_t>(sum[j]));
}
inline void scales_of_row(float scale, const float* __restrict all, float* __restrict to) {
  for (int j = 0; j < kIntColumns; ++j) to[j] = scale * all[j];
}
inline void repeat(float v, float* to) {
  for (int j = 0; j < kIntColumns; ++j) to[j] = v;
}

// Rows with factors of their own: each is a block of one row and one panel, whose columns are made of the row's and the columns'.
__attribute__((noinline)) void finish_by_row(const IntBlock& b, int32_t at, int32_t rows, int64_t panel, int64_t columns, int32_t* sums) {
  const int64_t column = panel * kIntColumns;
  const EpilogueProgram& p = *b.program;
  const IntColumns& all = b.column;
  const auto of_panel = [column](const auto* array) { return array != nullptr ? array + column : nullptr; };
  alignas(64) int32_t offset[kIntColumns];
  alignas(64) float scale[kIntColumns], out_scale[kIntColumns], out_zero[kIntColumns];
  IntBlock one = b;
  one.column = {of_panel(all.offset), of_panel(all.zero),      of_panel(all.scale),
                of_panel(all.bias),   of_panel(all.out_scale), of_panel(all.out_zero)};
  one.row = {};
  one.rows = 1;
  one.columns = columns;
  if (b.row.zero != nullptr) one.column.offset = offset;
  if (b.row.scale != nullptr) one.column.scale = scale;
  if (b.row.out_scale != nullptr) one.column.out_scale = out_scale;
  if (b.row.out_zero != nullptr) one.column.out_zero = out_zero;
  const int64_t result_step = b.dst_column_step * (b.result == DType::f32 || b.result == DType::i32 ? 4 : 1);
  std::byte* dst = nullptr;
  const float* operands[kMaxEpilogueOperands];
  one.dst = &dst;
  for (int o = 0; o < p.operand_count; ++o) one.operands[o] = operands + o;
  for (int32_t r = at; r < at + rows; ++r, sums += kIntColumns) {
    dst = b.dst[r] + column * result_step;
    for (int o = 0; o < p.operand_count; ++o) operands[o] = b.operands[o][p.walks[o].by_row ? r : 0] + column * p.walks[o].column_step;
    if (b.row_sums != nullptr) one.row_sums = b.row_sums + r;
    if (b.row.zero != nullptr) offsets_of_row(static_cast<uint32_t>(b.row.zero[r]), all.offset + column, all.sum + column, offset);
    if (b.row.scale != nullptr) scales_of_row(b.row.scale[r], all.scale + column, scale);
    if (b.row.out_scale != nullptr) repeat(b.row.out_scale[r], out_scale);
    if (b.row.out_zero != nullptr) repeat(b.row.out_zero[r], out_zero);
    finish(one, 0, 1, 0, columns, sums);
  }
}

#ifdef __AVX512F__
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
// time on Zen 4), from sums in registers to bytes: sums go through memory only where a pair of rows is in doubt (quick_number()). These
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
      y[i] = quick_number(real, k.quick[v], k.centre[v], k.low, &clear);
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
      : suits((columns == kIntColumns || (columns > 16 && columns <= 24)) && b.a != nullptr && b.column.quick != nullptr &&
              ends_in_bytes(b, relu)),
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
  const SumsOf of{b.a + at * b.segments, b.segments, b.steps / b.segments * kIntStepBytes};
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
#endif

void run_block(const IntBlock& b) {
  alignas(64) int32_t sums[kIntTileRows * kIntColumns];
  // What follows reads whole vectors, which products write.
  if (b.a == nullptr && b.columns % kIntColumns != 0) __builtin_memset(sums, 0, sizeof sums);
  static_assert(Sums::kRows <= kIntTileRows && kIntTileRows <= kMaxEpilogueRows);
  const int32_t tiles = (b.rows + Sums::kRows - 1) / Sums::kRows;
  const bool by_row = b.row.any();
  const int32_t low = b.rows / tiles, high = b.rows % tiles;  // the first `high` tiles have one row more
#ifdef __AVX512F__
  const bool relu = is_relu(*b.program);
#endif
  for (int64_t panel = b.panel_begin; panel < b.panel_end; ++panel) {
    const int64_t left = b.columns - panel * kIntColumns, columns = left < kIntColumns ? left : kIntColumns;
#ifdef __AVX512F__
    const WholeTiles whole_tiles(b, relu, panel, columns);
#endif
    int32_t at = 0;
    for (int32_t t = 0; t < tiles; ++t) {
      const int32_t rows = low + (t < high);
#ifdef __AVX512F__
      const bool whole = whole_tiles.suits && rows == Sums::kRows;
      if (whole) whole_tile_to_bytes(b, whole_tiles, at, panel, sums);
      // Sums that are whole numbers in binary32 are read where they are.
      if (whole || (b.real_sums != nullptr &&
                    finish_tame(b, relu, at, rows, panel * kIntColumns, columns, RealSumsAt{b.real_sums + at, panel * kIntColumns}))) {
        at += rows;
        continue;
      }
#endif
      int32_t* of_rows = sums;
      if (b.made_sums != nullptr) of_rows = b.made_sums + at * kIntColumns;
      else make_sums(b, at, rows, panel, columns, sums);
      if (by_row) finish_by_row(b, at, rows, panel, columns, of_rows);
      else finish(b, at, rows, panel, columns, of_rows);
      at += rows;
    }
  }
}
