// SPDX-License-Identifier: Apache-2.0
// How rows x columns x k of sums are cut into tasks for threads and blocks for caches: a few divisions, no tables.
#pragma once

#include "core/kernels/gemm/tile_engine.h"
#include "core/kernels/kernel.h"

namespace anydim {

struct WorkSplit {
  int64_t row_tasks = 1, column_tasks = 1;  // of each independent product
  int32_t tile_rows = 1;
  int64_t row_block = 0;
  bool panels_outer = false;
  bool chosen = false;        // made with a choice
  int64_t rows_in_cache = 0;  // rows of activation that L2 holds beside a panel
  int64_t k_part = 0;         // of TileJob

  // The tile's height is all that may differ for other rows of the same columns, k and row_bytes, as long as one thread does
  // the work: most layers of a network are planned anew at each new shape, and this is all they need.
  bool only_tile_follows_rows(int threads, const PlanChoice* choice) const noexcept { return threads == 1 && choice == nullptr && !chosen; }
  void set_tile(int32_t rows) noexcept {
    tile_rows = rows;
    row_block = !panels_outer || k_part > 0 ? 240 : rows_in_cache > 3 * rows ? rows_in_cache : 3 * rows;
  }
};

// `products`: independent products (groups, batch items) that are tasks by themselves. `row_bytes`: bytes of
// activation that one more row brings into the cache; `row_stride`: floats from row to row.
WorkSplit split_work(const TileEngine& engine, int64_t rows, int64_t columns, int64_t k, int64_t row_bytes, int64_t row_stride,
                     int64_t products, int threads, const PlanChoice* choice = nullptr) noexcept;

// Other splits of the same work, for a tuner: written as choices that split_work() takes. Changes of meaning change the
// revision. `split` is the cost model's.
constexpr int kSplitRevision = 1;
int split_choices(const TileEngine& engine, const WorkSplit& split, int64_t rows, int64_t columns, int threads,
                  std::span<PlanChoice> out) noexcept;

// Bounds of part `i` of `parts` of [0, n).
constexpr int64_t part_begin(int64_t n, int64_t parts, int64_t i) noexcept { return n / parts * i + (n % parts * i) / parts; }

}  // namespace anydim
