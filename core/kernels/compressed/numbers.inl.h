// SPDX-License-Identifier: Apache-2.0
// Numbers of few bits, widened in registers; see numbers_engine.h. Include it INSIDE the anonymous namespace of numbers_<isa>.cpp, after the
// simd type F32, kTileOfRows (rows that a tile two vectors wide has at most) and kAhead (bytes that are fetched before they are read).

constexpr int kW = F32::kWidth, kPanel = 2 * kW;

template <NumberForm> struct Numbers;

// A word's numbers are taken from its low end; what is left moves down.
template <int kBits> struct Words {
  static constexpr int kCount = 32 / kBits, kBytes = 4;
  F32::Int word;
  static Words load(const std::byte* p) { return {bits(F32::load(reinterpret_cast<const float*>(p)))}; }
  F32 next() {
    const F32 x = to_float(word & set_int(F32(), (1 << kBits) - 1));
    word = shift_right<kBits>(word);
    return x;
  }
};
template <> struct Numbers<NumberForm::bits4> : Words<4> {
  Numbers(Words<4> w) : Words<4>(w) {}
};
template <> struct Numbers<NumberForm::bits8> : Words<8> {
  Numbers(Words<8> w) : Words<8>(w) {}
};
template <> struct Numbers<NumberForm::f16> {
  static constexpr int kCount = 1, kBytes = 2;
  F32 x;
  static Numbers load(const std::byte* p) { return {F32::load_f16(reinterpret_cast<const uint16_t*>(p))}; }
  F32 next() { return x; }
};
template <> struct Numbers<NumberForm::bf16> {
  static constexpr int kCount = 1, kBytes = 2;
  F32 x;
  static Numbers load(const std::byte* p) { return {F32::load_bf16(reinterpret_cast<const uint16_t*>(p))}; }
  F32 next() { return x; }
};

// Columns of NV vectors from a panel's first on, in the order of k. `Each` gets every k with the real numbers, and block_ends(k) at
// multiples of kSumBlock that are not the end.
template <NumberForm kForm, int NV, class Each, class Ends>
inline __attribute__((always_inline)) void walk(const NumberPanels& p, int64_t panel, Each&& each, Ends&& block_ends) {
  using N = Numbers<kForm>;
  constexpr bool kScaled = N::kCount > 1;
  constexpr int64_t kRowBytes = kPanel * N::kBytes;
  const int64_t numbers_step = p.words() * kRowBytes, scales_step = p.blocks * kPanel;
  const std::byte* from = p.numbers + panel * numbers_step;
  const auto vector_of = [&](int j) { return from + (j / 2) * numbers_step + (j % 2) * kW * N::kBytes; };
  const float* scale_row = kScaled ? p.scales + panel * scales_step : nullptr;
  const float* zero_row = p.zeros != nullptr ? p.zeros + panel * scales_step : nullptr;
  F32 scale[NV], zero[NV];
#pragma GCC unroll 4
  for (int j = 0; j < NV; ++j) zero[j] = F32::set(p.zero);
  int64_t next_block = 0, next_sum = kSumBlock;
  for (int64_t k = 0; k < p.k;) {
    if (kScaled && k == next_block) {
#pragma GCC unroll 4
      for (int j = 0; j < NV; ++j) {
        scale[j] = F32::load(scale_row + (j / 2) * scales_step + (j % 2) * kW);
        if (zero_row != nullptr) zero[j] = F32::load(zero_row + (j / 2) * scales_step + (j % 2) * kW);
      }
      scale_row += kPanel;
      if (zero_row != nullptr) zero_row += kPanel;
      next_block += p.block;
    }
    int64_t end = next_sum < p.k ? next_sum : p.k;
    if (kScaled && next_block < end) end = next_block;
    const auto real = [&](N* n, F32* w) {
#pragma GCC unroll 4
      for (int j = 0; j < NV; ++j) {
        w[j] = n[j].next();
        if constexpr (kScaled) w[j] = (w[j] - zero[j]) * scale[j];
      }
    };
    for (; k + N::kCount <= end; k += N::kCount, from += kRowBytes) {
#pragma GCC unroll 4
      for (int j = 0; j < NV; j += 2)
#pragma GCC unroll 4
        for (int64_t at = 0; at < kRowBytes; at += 64) __builtin_prefetch(vector_of(j) + kAhead + at, 0, 3);
      const auto load = [&]<size_t... J>(std::index_sequence<J...>) {
        N n[NV] = {N::load(vector_of(J))...};
#pragma GCC unroll 8
        for (int i = 0; i < N::kCount; ++i) {
          F32 w[NV];
          real(n, w);
          each(k + i, w);
        }
      };
      load(std::make_index_sequence<NV>());
    }
    if (k < end) {  // the last word
      const auto rest = [&]<size_t... J>(std::index_sequence<J...>) {
        N n[NV] = {N::load(vector_of(J))...};
        for (; k < end; ++k) {
          F32 w[NV];
          real(n, w);
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
template <NumberForm kForm, int R, int NV>
__attribute__((noinline)) void few_rows_tile(const FewRowsJob& job, int32_t row, int64_t panel, float* sums) {
  F32 acc[R][NV];
  const float* a[R];
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {
    a[r] = job.a[row + r];
#pragma GCC unroll 4
    for (int j = 0; j < NV; ++j) acc[r][j] = F32::zero();
  }
  bool first = true;
  const int64_t step = job.a_step;
  const auto each = [&](int64_t k, const F32* w) {
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      const F32 x = F32::set(a[r][k * step]);
#pragma GCC unroll 4
      for (int j = 0; j < NV; ++j) acc[r][j] = fma(x, w[j], acc[r][j]);
    }
  };
  const auto add = [&] {
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
      for (int j = 0; j < NV; ++j) {
        float* const to = sums + (r * NV + j) * kW;
        (first ? acc[r][j] : F32::load(to) + acc[r][j]).store(to);
        acc[r][j] = F32::zero();
      }
    first = false;
  };
  walk<kForm, NV>(*job.panels, panel, each, add);
  add();
}

using FewRowsTile = void (*)(const FewRowsJob&, int32_t row, int64_t panel, float* sums);
struct FewRowsTiles {
  FewRowsTile paired;  // one row of two panels
  FewRowsTile of[kTileOfRows];
};
template <NumberForm kForm, int... R> constexpr FewRowsTiles few_rows_tiles(std::integer_sequence<int, R...>) {
  return {few_rows_tile<kForm, 1, 4>, {few_rows_tile<kForm, R + 1, 2>...}};
}
template <NumberForm kForm> constexpr FewRowsTiles kTiles = few_rows_tiles<kForm>(std::make_integer_sequence<int, kTileOfRows>());
constexpr FewRowsTiles kFewRowsTiles[] = {kTiles<NumberForm::bits4>, kTiles<NumberForm::bits8>, kTiles<NumberForm::f16>,
                                          kTiles<NumberForm::bf16>};

void few_rows(const FewRowsJob& job) {
  alignas(64) float sums[kTileOfRows * 2 * kPanel];
  const EpilogueProgram& p = *job.program;
  const FewRowsTiles& of_form = kFewRowsTiles[static_cast<int>(job.panels->form)];
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

template <NumberForm kForm> void widen_of(const WidenJob& job) {
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
    walk<kForm, 2>(*job.panels, panel, each, [] {});
  }
}

void widen(const WidenJob& job) {
  switch (job.panels->form) {
    case NumberForm::bits4: return widen_of<NumberForm::bits4>(job);
    case NumberForm::bits8: return widen_of<NumberForm::bits8>(job);
    case NumberForm::f16: return widen_of<NumberForm::f16>(job);
    case NumberForm::bf16: return widen_of<NumberForm::bf16>(job);
  }
}
