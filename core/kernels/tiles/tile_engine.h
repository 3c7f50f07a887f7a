// SPDX-License-Identifier: Apache-2.0
// The one machine behind matmul, convolution and transposed convolution: tiles of rows x columns of sums of products,
// rows gathered in place from an activation, columns read from packed panels, post-ops applied as tiles finish.
// This header is plain data between the portable kernel classes (which know operators) and the engines (which know
// vectors and nothing else). Not for anybody outside gemm/ and conv/.
//
// Why it looks like this
// - A row is an output position. Its elements along k are reached from one base pointer by a list of segments that is
//   the same for all rows of a job: for matmul one segment (cut at blocks of 128, docs/numerics.md section 1), for a
//   convolution one per kernel row where (kernel column, channel) is contiguous. Taps in the padding are left out of
//   the list, so a job is a rectangle of positions with one set of valid taps, and border pixels of several image
//   rows share tiles.
// - Tiles (AVX-512): 6x64 (two panels at once); 14x32 for few columns or panels too long for L2; 3x128 when there are
// few
//   rows, so that enough chains are in flight to hide the latency of an FMA; 14x24, 28x16 and 28x8 for a narrow rest
//   (half vectors cost half on Zen 4 and nothing more elsewhere). AVX2: 6x16, 3x32, 1x64, 12x8. Every row count has
//   its own code; tails are balanced (15 rows are 8 + 7).
// - Panels are two vectors wide (the last one as narrow as the rest allows) and hold all of k: packing depends on the
//   weights' own dims only.
// - A block's sum is added into a tile of partial sums in L1. Where two panels do not stay in L2 (from k = 4,096 on for 2 MB),
//   the tiles of a row block take turns on a part of k, and their partial sums wait in L2.
// - Near the ends of a line each position has a set of taps of its own. Where they are many (128 taps over 100 frames) a ragged job
//   takes them together: a tile goes through the taps of all its rows, and each run of k continues the chains of those rows
//   that have it.
#pragma once

#include <cstdint>

#include "core/base/checked.h"
#include "core/base/cpu.h"
#include "core/kernels/epilogue/epilogue_tile.h"
#include "core/kernels/tiles/bf16.h"

namespace anydim {

constexpr int64_t kSumBlock = 128;  // docs/numerics.md section 1
constexpr int kRowAxes = 4;
// Lists of single elements are for short k: they hold a few blocks at most.
constexpr int64_t kMostElements = 512;
constexpr int kMostElementBlocks = static_cast<int>(kMostElements / kSumBlock);

// A run of k: `count` elements from logical index k, at row + src, src + k_step, ...
struct KSegment {
  int64_t src = 0;
  int64_t k = 0;
  int32_t count = 0;
  int32_t ends_block = 0;              // the next segment belongs to another block
  int32_t first_row = 0, end_row = 0;  // of a ragged job: the indices along the last axis that have these elements
};

// One element of k, for jobs whose runs are too short to be worth a loop each (first layers).
struct KElement {
  int64_t src = 0;
  int64_t k = 0;
};

// A rectangle of rows (up to four axes, the last fastest) times a range of panels.
struct TileJob {
  int64_t count[kRowAxes] = {1, 1, 1, 1};
  const float* src = nullptr;
  int64_t src_step[kRowAxes] = {};
  float* dst = nullptr;
  int64_t dst_step[kRowAxes] = {};
  int64_t dst_column_step = 1;
  const int64_t* dst_columns = nullptr;  // instead of dst_column_step if not null: where each column lies (one panel)
  const float* operand[kMaxEpilogueOperands] = {};
  int64_t operand_step[kMaxEpilogueOperands][kRowAxes] = {};
  int64_t row_begin = 0, row_end = 0;  // flat row numbers

  const KSegment* segments = nullptr;
  int32_t segment_count = 0;
  bool ragged = false;  // rows, all of one line of the last axis, have segments of their own
  int64_t k_step = 1;
  const KElement* elements = nullptr;  // instead of segments if not null, of at most kMostElements logical k
  int32_t element_blocks = 0;
  int32_t element_ends[kMostElementBlocks] = {};  // of each block, elements counted from the first

  const float* panels = nullptr;
  int64_t k = 0;        // rows of a panel
  int64_t columns = 0;  // of the whole matrix
  int64_t panel_begin = 0, panel_end = 0;
  const float* bias = nullptr;  // per column, padded to whole panels; or null. Of mode reduced without -0

  const EpilogueProgram* program = nullptr;
  int32_t tile_rows = 0;      // rows of a tile at most
  int64_t row_block = 0;      // rows that stay in cache while panels pass
  bool panels_outer = false;  // loop order inside a row block
  int64_t k_part = 0;         // of k, what all tiles of a row block do before the next; 0: each tile does all. With panels_outer only
  void* scratch = nullptr;    // as many bytes as the engine's scratch(k) says
  // Rows hold numbers that the engine's round() wrote; steps of rows count floats all the same, offsets of segments such numbers.
  bool rounded = false;
};

// Panels that pass a row block together where k_part cuts k: each part of the rows is then read from beyond L2 once for all of
// them (3x3, 2048 to 512 channels at 33x33, one thread: 252 to 195 ms with two; four are no faster).
constexpr int kPanelsInParts = 2;

// Packs rows [first, first + rows) of panels of `k` rows: B[first + i, n] = b[i * row_stride + n * column_stride].
// The padding of a last panel becomes 0.
struct PackJob {
  const float* b = nullptr;
  int64_t row_stride = 0, column_stride = 0;
  int64_t first = 0, rows = 0, k = 0;
  int64_t columns = 0;
  int64_t panel_begin = 0, panel_end = 0;
  float* panels = nullptr;
  bool fresh = false;  // of mode reduced: panels hold anything, and padding along k and columns is written, too
};

struct TileEngine {
  int vector = 1;       // floats of a vector; panels are two vectors wide
  int granule = 1;      // the last panel's width is a multiple of this
  int tile_rows = 1;    // rows of the tile two vectors wide
  int paired_rows = 1;  // rows of the tile four vectors wide
  int narrow_rows = 1;  // rows of tiles at most one vector wide
  void (*run)(const TileJob& job) = nullptr;
  void (*pack)(const PackJob& job) = nullptr;
  void (*epilogue)(const EpilogueProgram&, const EpilogueTile&) = nullptr;  // of tiles whose sums others make
  MathMode mode = MathMode::strict;
  int64_t (*own_scratch)(int64_t k) noexcept = nullptr;  // bytes that a job needs; null: none
  // Writes `count` numbers as tiles read them, of rounded_bytes each, for TileJob::rounded; null: tiles read floats.
  void (*round)(const float* src, int64_t step, int64_t count, void* to) = nullptr;
  int64_t rounded_bytes = 4;
  bool neighbours = false;  // of mode reduced: words of panels hold neighbours along k

  int64_t panels(int64_t columns) const noexcept { return (columns + 2 * vector - 1) / (2 * vector); }
  int64_t packed_columns(int64_t columns) const noexcept { return (columns + granule - 1) / granule * granule; }
  // The size of all panels of a matrix, in floats: in mode reduced two numbers of bf16 each, and k is filled up to whole blocks.
  int64_t panel_floats(int64_t columns, int64_t k) const noexcept {
    return saturating_mul(packed_columns(columns), mode == MathMode::reduced ? reduced_k(k) / 2 : k);
  }
  int64_t scratch(int64_t k) const noexcept { return own_scratch != nullptr ? own_scratch(k) : 0; }
  // Rows of a job's tiles. Two panels at once are 3-8 % faster than one while both stay in L2, and at row distances
  // of multiples of 2 KB (`row_bytes`) more than six rows crowd into one or two sets of L1: 1024^3 runs at 80 instead
  // of 110 GFLOP/s.
  int rows_for(int64_t rows, int64_t columns, int64_t row_bytes, int64_t k, int64_t l2) const noexcept {
    if (columns <= vector) return narrow_rows;
    if (columns < 4 * vector || (rows > paired_rows && rows <= tile_rows)) return tile_rows;
    return row_bytes % 2048 == 0 || 4 * vector * k * 4 <= l2 / 2 ? paired_rows : tile_rows;
  }
  static const TileEngine avx512, avx2, portable;
};

// A matrix's packing, cut into pieces along the axis that is outermost in memory: each reads one range of it.
struct PackCuts {
  PackCuts(const TileEngine& engine, const PackJob& whole, int64_t taps = 1);  // taps: of such matrices, element by element
  void set(int64_t piece, PackJob* job) const noexcept;  // the rows and panels of a piece, counted from those of the whole
  int64_t start(int64_t piece) const noexcept;           // where it begins, in elements of a dense matrix

  int64_t pieces = 1;
  bool by_rows = false;
  int64_t each = 1;   // rows or panels of a piece
  int64_t width = 1;  // columns of a panel
  int64_t rows = 0, columns = 0, panels = 0;
};

// Of math mode reduced (docs/numerics.md, section 1): reduced_engine.inl.h. Their jobs have no lists of elements and no ragged rows. The
// padding of panels is zero before they are packed, as that of constants is, or PackJob::fresh.
struct ReducedTileEngine {
  static const TileEngine amx, avx512_bf16, avx2, portable;
};

}  // namespace anydim
