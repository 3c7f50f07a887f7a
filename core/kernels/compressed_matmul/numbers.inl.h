// SPDX-License-Identifier: Apache-2.0
// Numbers of few bits in registers; see numbers_engine.h. Sets define before it kTileOfRows, kAhead, kUnrollsWords, splice() and Table.
#pragma once

#include <cstdint>
#include <utility>

#include "core/kernels/compressed_matmul/numbers_engine.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

constexpr int kW = F32::kWidth, kPanel = 2 * kW;

// A number as bits `kAt` and up of a float whose last place counts it: 2^(23 - kAt) + number, without a shift or a conversion.
constexpr float spliced_base(int at) { return static_cast<float>(1 << (23 - at)); }
template <int kBits, int kAt> inline F32 spliced(F32::Int word) {
  static_assert(kAt + kBits <= 23);
  constexpr int32_t kMask = static_cast<int32_t>(((1u << kBits) - 1) << kAt);
  return splice(word, kMask, (127 + 23 - kAt) << 23);
}

// Words of 32 bits, one a column. `Zeros` is what is taken from numbers as they are read; the difference is exact. Where numbers are read
// one after the other (next()) nothing is taken.
template <int kBits> struct Words {
  static constexpr int kCount = 32 / kBits, kBytes = 4;
  F32::Int word;
  static F32::Int load_word(const std::byte* p) { return bits(F32::load(reinterpret_cast<const float*>(p))); }
  F32 next() {
    const F32 x = to_float(word & set_int(F32(), (1 << kBits) - 1));
    word = shift_right<kBits>(word);
    return x;
  }
};

template <NumberForm> struct Numbers;

template <> struct Numbers<NumberForm::bits4> : Words<4> {
  static constexpr bool kReadsOn = kHasTable;  // up to 3 bytes behind the last word
  const std::byte* from;
  static Numbers load(const std::byte* p) { return {{load_word(p)}, p}; }

  // By table: the lowest 4 bits of a word say the float, and the bytes above the first are lowest in words that are read from there. Such a
  // word may lie across two lines, so it is read once for its two numbers.
  struct Zeros {
    Table table;
    F32 low, places[5];
    explicit Zeros(float zero) : table(zero), low(F32::set(spliced_base(4) + zero)) {
      if constexpr (!kHasTable)
        for (int i = 0; i < 5; ++i) places[i] = F32::set(spliced_base(4 * i) + zero);
    }
  };
  template <int i> F32 number(const Zeros& z) {
    if constexpr (kHasTable) {
      if constexpr (i % 2 == 0) word = Table::kept(i == 0 ? word : load_word(from + i / 2));
      return i % 2 == 0 ? z.table[word] : spliced<4, 4>(word) - z.low;
    } else {
      constexpr int kPlace = i < 5 ? i : i - 5;
      if constexpr (i == 5) word = shift_right<20>(word);
      return spliced<4, 4 * kPlace>(word) - z.places[kPlace];
    }
  }
};
template <> struct Numbers<NumberForm::bits8> : Words<8> {
  static constexpr bool kReadsOn = false;
  static Numbers load(const std::byte* p) { return {{load_word(p)}}; }
  struct Zeros {
    F32 low, high;
    explicit Zeros(float zero) : low(F32::set(spliced_base(0) + zero)), high(F32::set(spliced_base(8) + zero)) {}
  };
  template <int i> F32 number(const Zeros& z) {
    if constexpr (i == 2) word = shift_right<16>(word);
    return i % 2 == 0 ? spliced<8, 0>(word) - z.low : spliced<8, 8>(word) - z.high;
  }
};

struct Halves {
  static constexpr int kCount = 1, kBytes = 2;
  static constexpr bool kReadsOn = false;
  F32 x;
  struct Zeros {
    explicit Zeros(float) {}
  };
  template <int> F32 number(const Zeros&) { return x; }
  F32 next() { return x; }
};
template <> struct Numbers<NumberForm::f16> : Halves {
  static Numbers load(const std::byte* p) { return {{F32::load_f16(reinterpret_cast<const uint16_t*>(p))}}; }
};
template <> struct Numbers<NumberForm::bf16> : Halves {
  static Numbers load(const std::byte* p) { return {{F32::load_bf16(reinterpret_cast<const uint16_t*>(p))}}; }
};

// A zero point that can be taken away in the place of a number: the difference is exact.
inline bool is_small(float zero) { return zero >= -1024.f && zero <= 1024.f; }

// Fetches a line of each 64 bytes of `kRow` from each of the panels.
template <int kPanels, int64_t kRow> inline __attribute__((always_inline)) void fetch(const std::byte* p, int64_t panel_step) {
#pragma GCC unroll copies(2)
  for (int panel = 0; panel < kPanels; ++panel)
#pragma GCC unroll copies(4)
    for (int64_t at = 0; at < kRow; at += 64) __builtin_prefetch(p + panel * panel_step + at, 0, 3);
}

// Columns of NV vectors from a panel's first on, in the order of k. `Each` gets every k with the real numbers, and block_ends(k) at
// multiples of kSumBlock that are not the end. `kOne`: one zero point for all, and a small one. With a zero point each, the numbers of a
// word are code of their own only for the one row of two panels, which decoding runs: for all it would be 60 KB.
template <NumberForm kForm, int NV, bool kOne, class Each, class Ends>
inline __attribute__((always_inline)) void walk(const NumberPanels& p, int64_t panel, Each&& each, Ends&& block_ends) {
  using N = Numbers<kForm>;
  constexpr bool kScaled = N::kCount > 1;
  constexpr int kPanels = NV / 2;
  constexpr int64_t kRowBytes = kPanel * N::kBytes, kScalesAhead = kAhead / 4, kScalesRow = kPanel * 4;
  const int64_t numbers_step = p.words() * kRowBytes, scales_step = p.blocks * kPanel;
  const std::byte* from = p.numbers + panel * numbers_step;
  // Behind the end of these panels the next ones are fetched.
  const std::byte* const numbers_end = from + numbers_step;
  const auto vector_of = [&](int j) { return from + (j / 2) * numbers_step + (j % 2) * kW * N::kBytes; };
  const float* scale_row = kScaled ? p.scales + panel * scales_step : nullptr;
  const auto* const scales_end = kScaled ? reinterpret_cast<const std::byte*>(scale_row + scales_step) : nullptr;
  const float* zero_row = !kOne && p.zeros != nullptr ? p.zeros + panel * scales_step : nullptr;
  const typename N::Zeros zeros(kOne ? p.zero : 0.f);
  F32 scale[NV], zero[NV];
#pragma GCC unroll copies(4)
  for (int j = 0; j < NV; ++j) scale[j] = F32::set(1.f), zero[j] = F32::set(p.zero);
  // What is read behind the last word must be a panel's.
  const int64_t whole_end = N::kReadsOn && (panel + kPanels) * kPanel >= p.columns ? p.k - 1 : p.k;
  int64_t next_block = 0, next_sum = kSumBlock;
  for (int64_t k = 0; k < p.k;) {
    if (kScaled && k == next_block) {
#pragma GCC unroll copies(4)
      for (int j = 0; j < NV; ++j) {
        scale[j] = F32::load(scale_row + (j / 2) * scales_step + (j % 2) * kW);
        if (zero_row != nullptr) zero[j] = F32::load(zero_row + (j / 2) * scales_step + (j % 2) * kW);
      }
      if constexpr (kAhead > 0) {
        const std::byte* ahead = reinterpret_cast<const std::byte*>(scale_row) + kScalesAhead;
        if (ahead >= scales_end) ahead += (kPanels - 1) * scales_step * 4;
        fetch<kPanels, kScalesRow>(ahead, scales_step * 4);
      }
      scale_row += kPanel;
      if (zero_row != nullptr) zero_row += kPanel;
      next_block += p.block;
    }
    int64_t end = next_sum < p.k ? next_sum : p.k;
    if (kScaled && next_block < end) end = next_block;
    const int64_t whole = end < whole_end ? end : whole_end;
    for (; k + N::kCount <= whole; k += N::kCount, from += kRowBytes) {
      if constexpr (kAhead > 0) {
        const std::byte* ahead = from + kAhead;
        if (ahead >= numbers_end) ahead += (kPanels - 1) * numbers_step;
        fetch<kPanels, kRowBytes>(ahead, numbers_step);
      }
      const auto word = [&]<size_t... J>(std::index_sequence<J...>) {
        N n[NV] = {N::load(vector_of(J))...};
        if constexpr (!kUnrollsWords || (!kOne && NV < 4)) {
          for (int i = 0; i < N::kCount; ++i) {
            F32 w[NV];
            for (int j = 0; j < NV; ++j) {
              w[j] = n[j].next();
              if constexpr (kScaled) w[j] = (w[j] - zero[j]) * scale[j];
            }
            each(k + i, w);
          }
        } else {
          const auto one = [&]<int i>(std::integral_constant<int, i>) {
            F32 w[NV] = {n[J].template number<i>(zeros)...};
            if constexpr (kScaled) {
#pragma GCC unroll copies(4)
              for (int j = 0; j < NV; ++j) w[j] = (kOne ? w[j] : w[j] - zero[j]) * scale[j];
            }
            each(k + i, w);
          };
          [&]<int... i>(std::integer_sequence<int, i...>) { (one(std::integral_constant<int, i>()), ...); }
          (std::make_integer_sequence<int, N::kCount>());
        }
      };
      word(std::make_index_sequence<NV>());
    }
    if (k < end) {  // the last word
      const auto rest = [&]<size_t... J>(std::index_sequence<J...>) {
        N n[NV] = {N::load(vector_of(J))...};
        for (; k < end; ++k) {
          F32 w[NV];
#pragma GCC unroll copies(4)
          for (int j = 0; j < NV; ++j) {
            w[j] = n[j].next();
            if constexpr (kScaled) w[j] = (w[j] - zero[j]) * scale[j];
          }
          each(k, w);
        }
      };
      rest(std::make_index_sequence<NV>());
    }
    if (k == next_sum) {
      next_sum += kSumBlock;
      if (k < p.k) block_ends();
    }
  }
}

// R rows times NV vectors of columns.
template <NumberForm kForm, bool kOne, int R, int NV>
__attribute__((noinline)) void few_rows_tile(const FewRowsJob& job, int32_t row, int64_t panel, float* sums) {
  F32 acc[R][NV];
  const float* a[R];
#pragma GCC unroll copies(8)
  for (int r = 0; r < R; ++r) {
    a[r] = job.a[row + r];
#pragma GCC unroll copies(4)
    for (int j = 0; j < NV; ++j) acc[r][j] = F32::zero();
  }
  bool first = true;
  const int64_t step = job.a_step;
  const auto each = [&](int64_t k, const F32* w) {
#pragma GCC unroll copies(8)
    for (int r = 0; r < R; ++r) {
      const F32 x = F32::set(a[r][k * step]);
#pragma GCC unroll copies(4)
      for (int j = 0; j < NV; ++j) acc[r][j] = fma(x, w[j], acc[r][j]);
    }
  };
  const auto add = [&] {
#pragma GCC unroll copies(8)
    for (int r = 0; r < R; ++r)
#pragma GCC unroll copies(4)
      for (int j = 0; j < NV; ++j) {
        float* const to = sums + (r * NV + j) * kW;
        (first ? acc[r][j] : F32::load(to) + acc[r][j]).store(to);
        acc[r][j] = F32::zero();
      }
    first = false;
  };
  walk<kForm, NV, kOne>(*job.panels, panel, each, add);
  add();
}

using FewRowsTile = void (*)(const FewRowsJob&, int32_t row, int64_t panel, float* sums);
struct FewRowsTiles {
  FewRowsTile paired;  // one row of two panels
  FewRowsTile of[kTileOfRows];
};
template <NumberForm kForm, bool kOne, int... R> constexpr FewRowsTiles few_rows_tiles(std::integer_sequence<int, R...>) {
  return {few_rows_tile<kForm, kOne, 1, 4>, {few_rows_tile<kForm, kOne, R + 1, 2>...}};
}
template <NumberForm kForm, bool kOne>
constexpr FewRowsTiles kTiles = few_rows_tiles<kForm, kOne>(std::make_integer_sequence<int, kTileOfRows>());
// By form; with a zero point each, and with one.
constexpr FewRowsTiles kFewRowsTiles[][2] = {{kTiles<NumberForm::bits4, false>, kTiles<NumberForm::bits4, true>},
                                             {kTiles<NumberForm::bits8, false>, kTiles<NumberForm::bits8, true>},
                                             {kTiles<NumberForm::f16, true>, kTiles<NumberForm::f16, true>},
                                             {kTiles<NumberForm::bf16, true>, kTiles<NumberForm::bf16, true>}};

inline bool one_zero(const NumberPanels& p) { return p.zeros == nullptr && is_small(p.zero); }

void few_rows(const FewRowsJob& job) {
  alignas(64) float sums[kTileOfRows * 2 * kPanel];
  const EpilogueProgram& p = *job.program;
  const FewRowsTiles& of_form = kFewRowsTiles[static_cast<int>(job.panels->form)][one_zero(*job.panels)];
  const int32_t tiles = (job.rows + kTileOfRows - 1) / kTileOfRows, low = job.rows / tiles, high = job.rows % tiles;
  for (int64_t panel = job.panel_begin; panel < job.panel_end;) {
    const bool paired = job.rows == 1 && panel + 2 <= job.panel_end;
    const int64_t column = panel * kPanel, left = job.panels->columns - column, most = paired ? 2 * kPanel : kPanel;
    int32_t row = 0;
    for (int32_t t = 0; t < tiles; ++t) {
      const int32_t rows = low + (t < high);
      (paired ? of_form.paired : of_form.of[rows - 1])(job, row, panel, sums);
      const float* operands[kMaxEpilogueOperands][kMaxEpilogueRows];
      for (int o = 0; o < p.operand_count; ++o)
        for (int32_t r = 0; r < rows; ++r)
          operands[o][r] = job.operands[o][p.walks[o].by_row ? row + r : 0] + column * p.walks[o].column_step;
      float* dst[kTileOfRows];
      for (int32_t r = 0; r < rows; ++r) dst[r] = job.dst[row + r] + column * job.dst_column_step;
      EpilogueTile tile;
      tile.sums = sums;
      tile.sums_step = most;
      tile.rows = rows;
      tile.columns = static_cast<int32_t>(left < most ? left : most);
      tile.dst = dst;
      tile.dst_column_step = job.dst_column_step;
      tile.operands = operands;
      job.epilogue(p, tile);
      row += rows;
    }
    panel += paired ? 2 : 1;
  }
}

template <NumberForm kForm, bool kOne> void widen_of(const WidenJob& job) {
  float* to = job.to;
  for (int64_t panel = job.panel_begin; panel < job.panel_end; ++panel) {
    const auto width = static_cast<int>(panel + 1 == job.panel_end ? job.last_width : kPanel);
    const auto each = [&](int64_t, const F32* w) {
      if (width == kPanel) {
        w[0].store(to);
        w[1].store(to + kW);
      } else {
        w[0].store_partial(to, width < kW ? width : kW);
        if (width > kW) w[1].store_partial(to + kW, width - kW);
      }
      to += width;
    };
    walk<kForm, 2, kOne>(*job.panels, panel, each, [] {});
  }
}

void widen(const WidenJob& job) {
  const bool one = one_zero(*job.panels);
  switch (job.panels->form) {
    case NumberForm::bits4: return one ? widen_of<NumberForm::bits4, true>(job) : widen_of<NumberForm::bits4, false>(job);
    case NumberForm::bits8: return one ? widen_of<NumberForm::bits8, true>(job) : widen_of<NumberForm::bits8, false>(job);
    case NumberForm::f16: return widen_of<NumberForm::f16, true>(job);
    case NumberForm::bf16: return widen_of<NumberForm::bf16, true>(job);
  }
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
