// SPDX-License-Identifier: Apache-2.0
// The tile engine's code for one vector type. Include it INSIDE the anonymous namespace of tile_engine_<isa>.cpp, after
// the simd type F32 and `kTileRows` (rows for tiles of 1, 2, 4 and 8 vectors). See tile_engine.h for the design.

constexpr int kW = F32::kWidth;
constexpr int kMostRows = kTileRows[0] > kTileRows[1] ? kTileRows[0] : kTileRows[1];
static_assert(kMostRows <= kMaxEpilogueRows);

// One tile: everything a microkernel needs.
struct TileCall {
  const float* const* rows;
  float* const* dst;       // column 0 of this tile; used when `direct`
  const KSegment* segments;
  int32_t segment_count;
  int64_t k_step;
  const KElement* elements;
  int32_t element_count;
  const float* panel;
  int64_t panel_stride;    // floats from panel to panel
  const float* bias;
  float* sums;             // partial sums, and the result unless `direct`; rows of NV vectors
  int32_t last;            // valid columns of the last vector
  bool direct;             // add the bias, perhaps relu, and store to dst
  bool relu;
};

inline void prefetch(const float* p) { __builtin_prefetch(p, 0, 3); }

// Leaves the sums of a tile in dst or in `sums`.
template <int MR, int NV>
inline __attribute__((always_inline)) void finish(const TileCall& c, F32 (&acc)[MR][NV]) {
  if (!c.direct) {
#pragma GCC unroll 32
    for (int i = 0; i < MR; ++i)
#pragma GCC unroll 8
      for (int j = 0; j < NV; ++j) acc[i][j].store(c.sums + (i * NV + j) * kW);
    return;
  }
  if (c.bias != nullptr) {
    F32 bias[NV];
#pragma GCC unroll 8
    for (int j = 0; j < NV; ++j) bias[j] = F32::load(c.bias + j * kW);
#pragma GCC unroll 32
    for (int i = 0; i < MR; ++i)
#pragma GCC unroll 8
      for (int j = 0; j < NV; ++j) acc[i][j] = acc[i][j] + bias[j];
  }
  if (c.relu) {
#pragma GCC unroll 32
    for (int i = 0; i < MR; ++i)
#pragma GCC unroll 8
      for (int j = 0; j < NV; ++j) acc[i][j] = pick_greater(F32::zero(), acc[i][j]);
  }
  if (c.last == kW) {
#pragma GCC unroll 32
    for (int i = 0; i < MR; ++i)
#pragma GCC unroll 8
      for (int j = 0; j < NV; ++j) acc[i][j].store(c.dst[i] + j * kW);
  } else {
#pragma GCC unroll 32
    for (int i = 0; i < MR; ++i) {
#pragma GCC unroll 8
      for (int j = 0; j < NV - 1; ++j) acc[i][j].store(c.dst[i] + j * kW);
      acc[i][NV - 1].store_partial(c.dst[i] + (NV - 1) * kW, c.last);
    }
  }
}

template <int MR, int NV>
__attribute__((noinline)) void tile_by_segments(const TileCall& c) {
  constexpr int kVectors = NV == 1 ? 1 : 2;  // of a panel
  F32 acc[MR][NV];
#pragma GCC unroll 32
  for (int i = 0; i < MR; ++i)
#pragma GCC unroll 8
    for (int j = 0; j < NV; ++j) acc[i][j] = F32::zero();
  const KSegment* s = c.segments;
  const KSegment* const end = s + c.segment_count;
  const int64_t step = c.k_step;
  bool partial = false;
  for (; s != end; ++s) {
    const float* a[MR];
#pragma GCC unroll 32
    for (int i = 0; i < MR; ++i) a[i] = c.rows[i] + s->src;
    const float* b = c.panel + s->k * (kVectors * kW);
    int64_t at = 0;
    for (int32_t n = s->count; n > 0; --n) {
      F32 w[NV];
#pragma GCC unroll 8
      for (int j = 0; j < NV; ++j) w[j] = F32::load(b + (j / kVectors) * c.panel_stride + (j % kVectors) * kW);
#pragma GCC unroll 8
      for (int j = 0; j < NV; j += 64 / (kW * 4) > 0 ? 64 / (kW * 4) : 1)
        prefetch(b + (j / kVectors) * c.panel_stride + (j % kVectors) * kW + kPrefetchRows * kVectors * kW);
#pragma GCC unroll 32
      for (int i = 0; i < MR; ++i) {
        const F32 x = F32::set(a[i][at]);
#pragma GCC unroll 8
        for (int j = 0; j < NV; ++j) acc[i][j] = fma(x, w[j], acc[i][j]);
      }
      at += step;
      b += kVectors * kW;
    }
    if (s->ends_block && s + 1 != end) {
#pragma GCC unroll 32
      for (int i = 0; i < MR; ++i)
#pragma GCC unroll 8
        for (int j = 0; j < NV; ++j) {
          float* p = c.sums + (i * NV + j) * kW;
          (partial ? F32::load(p) + acc[i][j] : acc[i][j]).store(p);
          acc[i][j] = F32::zero();
        }
      partial = true;
    }
  }
  if (partial) {
#pragma GCC unroll 32
    for (int i = 0; i < MR; ++i)
#pragma GCC unroll 8
      for (int j = 0; j < NV; ++j) acc[i][j] = F32::load(c.sums + (i * NV + j) * kW) + acc[i][j];
  }
  finish<MR, NV>(c, acc);
}

template <int MR, int NV>
__attribute__((noinline)) void tile_by_elements(const TileCall& c) {
  constexpr int kVectors = NV == 1 ? 1 : 2;
  F32 acc[MR][NV];
#pragma GCC unroll 32
  for (int i = 0; i < MR; ++i)
#pragma GCC unroll 8
    for (int j = 0; j < NV; ++j) acc[i][j] = F32::zero();
  const KElement* e = c.elements;
  for (const KElement* const end = e + c.element_count; e != end; ++e) {
    const int64_t at = e->src;
    const float* b = c.panel + e->k * (kVectors * kW);
    F32 w[NV];
#pragma GCC unroll 8
    for (int j = 0; j < NV; ++j) w[j] = F32::load(b + (j / kVectors) * c.panel_stride + (j % kVectors) * kW);
#pragma GCC unroll 32
    for (int i = 0; i < MR; ++i) {
      const F32 x = F32::set(c.rows[i][at]);
#pragma GCC unroll 8
      for (int j = 0; j < NV; ++j) acc[i][j] = fma(x, w[j], acc[i][j]);
    }
  }
  finish<MR, NV>(c, acc);
}

using TileFunction = void (*)(const TileCall&);
template <int R>
struct TileTable {
  TileFunction of[R];
};
template <int NV, int R, int... I>
constexpr TileTable<R> segment_table(std::integer_sequence<int, I...>) {
  return {{tile_by_segments<I + 1, NV>...}};
}
template <int NV, int R, int... I>
constexpr TileTable<R> element_table(std::integer_sequence<int, I...>) {
  return {{tile_by_elements<I + 1, NV>...}};
}
template <int NV, int R>
constexpr TileTable<R> kBySegments = segment_table<NV, R>(std::make_integer_sequence<int, R>());
template <int NV, int R>
constexpr TileTable<R> kByElements = element_table<NV, R>(std::make_integer_sequence<int, R>());

TileFunction choose(bool elements, int vectors, int rows) {
  if (elements) return vectors == 1 ? kByElements<1, kTileRows[0]>.of[rows - 1] : kByElements<2, kTileRows[1]>.of[rows - 1];
  switch (vectors) {
    case 1: return kBySegments<1, kTileRows[0]>.of[rows - 1];
    case 2: return kBySegments<2, kTileRows[1]>.of[rows - 1];
    case 4: return kBySegments<4, kTileRows[2]>.of[rows - 1];
    default: return kBySegments<8, kTileRows[3]>.of[rows - 1];
  }
}

// Base pointers of a block of rows, made once and used by every panel.
constexpr int kBlockRows = 280;
struct RowBlock {
  int32_t rows = 0;
  int64_t first = 0;  // flat row number
  const float* src[kBlockRows];
  float* dst[kBlockRows];
};

void fill_rows(const TileJob& job, int64_t first, int32_t rows, RowBlock* block) {
  block->rows = rows;
  block->first = first;
  int64_t at[kRowAxes], rest = first;
  for (int a = kRowAxes - 1; a > 0; --a) {
    at[a] = rest % job.count[a];
    rest /= job.count[a];
  }
  at[0] = rest;
  const int64_t s = job.src_step[kRowAxes - 1], d = job.dst_step[kRowAxes - 1];
  int32_t r = 0;
  while (r < rows) {
    const float* src = job.src;
    float* dst = job.dst;
    for (int a = 0; a < kRowAxes; ++a) {
      src += at[a] * job.src_step[a];
      dst += at[a] * job.dst_step[a];
    }
    int64_t run = job.count[kRowAxes - 1] - at[kRowAxes - 1];
    if (run > rows - r) run = rows - r;
    for (int64_t i = 0; i < run; ++i, ++r) {
      block->src[r] = src;
      block->dst[r] = dst;
      src += s;
      dst += d;
    }
    at[kRowAxes - 1] = 0;
    for (int a = kRowAxes - 2; a >= 0; --a) {
      if (++at[a] < job.count[a] || a == 0) break;
      at[a] = 0;
    }
  }
}

// The pointers of row operands for rows [first, first + rows) of the job.
void fill_operands(const TileJob& job, int64_t first, int32_t rows, int64_t column,
                   const float* (*out)[kMaxEpilogueRows]) {
  const EpilogueProgram& p = *job.program;
  for (int o = 0; o < p.operand_count; ++o) {
    const float* base = job.operand[o] + column * p.walks[o].column_step;
    if (!p.walks[o].by_row) {
      out[o][0] = base;
      continue;
    }
    for (int32_t r = 0; r < rows; ++r) {
      const float* q = base;
      int64_t rest = first + r;
      for (int a = kRowAxes - 1; a > 0; --a) {
        if (job.count[a] == 1) continue;
        q += (rest % job.count[a]) * job.operand_step[o][a];
        rest /= job.count[a];
      }
      out[o][r] = q + rest * job.operand_step[o][0];
    }
  }
}

// What stays the same over the tiles of a job.
struct JobState {
  const TileJob& job;
  bool simple;  // nothing but bias and relu, contiguous columns: tiles store themselves
  bool relu;
};

void run_tile(const JobState& state, const RowBlock& block, int32_t at, int32_t rows, int64_t panel, int panels) {
  const TileJob& job = state.job;
  alignas(64) float sums[kMostRows * 2 * kW];
  static_assert(sizeof(sums) / 4 >= kTileRows[0] * kW && sizeof(sums) / 4 >= kTileRows[1] * 2 * kW &&
                sizeof(sums) / 4 >= kTileRows[2] * 4 * kW && sizeof(sums) / 4 >= kTileRows[3] * 8 * kW);
  const int64_t column = panel * 2 * kW;
  int64_t columns = job.columns - column;
  if (columns > panels * 2 * kW) columns = panels * 2 * kW;
  const int vectors = panels == 1 ? (columns <= kW ? 1 : 2) : 2 * panels;
  TileCall call;
  call.rows = block.src + at;
  call.segments = job.segments;
  call.segment_count = job.segment_count;
  call.k_step = job.k_step;
  call.elements = job.elements;
  call.element_count = job.element_count;
  call.panel = job.panels + column * job.k;
  call.panel_stride = 2 * kW * job.k;
  call.bias = job.bias ? job.bias + column : nullptr;
  call.sums = sums;
  call.last = static_cast<int32_t>(columns - (vectors - 1) * kW);
  call.direct = state.simple;
  call.relu = state.relu;
  float* dst[kMostRows];
  for (int32_t i = 0; i < rows; ++i) dst[i] = block.dst[at + i] + column * job.dst_column_step;
  call.dst = dst;
  choose(job.elements != nullptr, vectors, rows)(call);
  if (state.simple) return;
  const float* operands[kMaxEpilogueOperands][kMaxEpilogueRows];
  fill_operands(job, block.first + at, rows, column, operands);
  EpilogueTile tile;
  tile.sums = sums;
  tile.sums_step = vectors * kW;
  tile.rows = rows;
  tile.columns = static_cast<int32_t>(columns);
  tile.dst = dst;
  tile.dst_column_step = job.dst_column_step;
  tile.bias = call.bias;
  tile.operands = operands;
  run_epilogue(*job.program, tile);
}

// How many panels a tile of `rows` rows takes at once, beginning at `panel`.
int panels_at_once(const TileJob& job, int32_t rows, int64_t panel) {
  if (job.elements) return 1;
  int64_t whole = job.panel_end - panel;
  // A last panel of one vector is read alone.
  if (job.panel_end * 2 * kW > job.columns && job.columns - (job.panel_end - 1) * 2 * kW <= kW) --whole;
  if (rows <= kTileRows[3] && whole >= 4) return 4;
  if (rows <= kTileRows[2] && whole >= 2) return 2;
  return 1;
}

void run_job(const TileJob& job) {
  const EpilogueProgram& p = *job.program;
  const bool relu = p.count == 1 && p.steps[0].kind == PostOp::Kind::unary && p.steps[0].unary == UnaryFunction::relu;
  const JobState state{job, job.dst_column_step == 1 && (p.count == 0 || relu), relu};
  const int most = job.columns <= kW ? kTileRows[0] : kTileRows[1];
  int64_t block_rows = job.row_block > kBlockRows ? kBlockRows : job.row_block;
  if (block_rows < most) block_rows = most;
  block_rows -= block_rows % most;
  RowBlock block;
  for (int64_t r = job.row_begin; r < job.row_end; r += block_rows) {
    const int64_t left = job.row_end - r;
    const auto rows = static_cast<int32_t>(left < block_rows ? left : block_rows);
    fill_rows(job, r, rows, &block);
    const int32_t tiles = (rows + most - 1) / most;
    const int32_t low = rows / tiles, high = rows % tiles;  // the first `high` tiles have one row more
    if (job.panels_outer) {
      for (int64_t panel = job.panel_begin; panel < job.panel_end;) {
        const int n = panels_at_once(job, low + (high > 0), panel);
        int32_t at = 0;
        for (int32_t t = 0; t < tiles; ++t) {
          const int32_t mr = low + (t < high);
          run_tile(state, block, at, mr, panel, n);
          at += mr;
        }
        panel += n;
      }
    } else {
      int32_t at = 0;
      for (int32_t t = 0; t < tiles; ++t) {
        const int32_t mr = low + (t < high);
        for (int64_t panel = job.panel_begin; panel < job.panel_end;) {
          const int n = panels_at_once(job, mr, panel);
          run_tile(state, block, at, mr, panel, n);
          panel += n;
        }
        at += mr;
      }
    }
  }
}

void pack_panels(const PackJob& job) {
  for (int64_t p = job.panel_begin; p < job.panel_end; ++p) {
    const int64_t column = p * 2 * kW;
    int64_t n = job.columns - column;
    if (n > 2 * kW) n = 2 * kW;
    const int64_t width = n <= kW ? kW : 2 * kW;
    float* to = job.panels + column * job.k + job.first * width;
    const float* from = job.b + column * job.column_stride;
    if (job.column_stride == 1 && n == 2 * kW) {
      for (int64_t i = 0; i < job.rows; ++i, to += 2 * kW) {
        const float* q = from + i * job.row_stride;
        F32::load(q).store(to);
        F32::load(q + kW).store(to + kW);
      }
    } else if (job.column_stride == 1) {
      const int first = static_cast<int>(n < kW ? n : kW);
      for (int64_t i = 0; i < job.rows; ++i, to += width) {
        const float* q = from + i * job.row_stride;
        F32::load_partial(q, first).store(to);
        if (width > kW) F32::load_partial(q + kW, static_cast<int>(n - kW)).store(to + kW);
      }
    } else {
      // Columns are far apart: eight rows at a time, so that a cache line of a column is used whole.
      for (int64_t i0 = 0; i0 < job.rows; i0 += 8) {
        const int64_t i1 = i0 + 8 < job.rows ? i0 + 8 : job.rows;
        for (int64_t j = 0; j < width; ++j)
          for (int64_t i = i0; i < i1; ++i)
            to[i * width + j] = j < n ? from[i * job.row_stride + j * job.column_stride] : 0.f;
      }
    }
  }
}
