// SPDX-License-Identifier: Apache-2.0
// How rows x columns x k of sums are cut into tasks for threads and blocks for caches: a few divisions, no tables.
#pragma once

#include "core/base/cpu.h"
#include "core/kernels/tiles/tile_engine.h"
#include "core/kernels/kernel.h"

namespace anydim {

// Bounds of part `i` of `parts` of [0, n).
constexpr int64_t part_begin(int64_t n, int64_t parts, int64_t i) noexcept { return n / parts * i + (n % parts * i) / parts; }

struct WorkSplit {
  int64_t row_tasks = 1, column_tasks = 1;  // of each independent product
  int32_t panel_unit = 1;                   // tasks of columns begin at a multiple of so many panels
  bool rows_first = false;                  // in the order of tasks: all tasks of the same panels follow each other
  int32_t tile_rows = 1;
  int64_t row_block = 0;
  bool panels_outer = false;
  bool chosen = false;        // made with a choice
  int64_t rows_in_cache = 0;  // rows of activation that L2 holds beside a panel
  int64_t k_part = 0;         // of TileJob

  int64_t tasks() const noexcept { return row_tasks * column_tasks; }
  int64_t row_part(int64_t task) const noexcept { return rows_first ? task % row_tasks : task / column_tasks; }
  int64_t column_part(int64_t task) const noexcept { return rows_first ? task / row_tasks : task % column_tasks; }
  // The first of the panels, `panels` in all, of the `i`th task of columns.
  int64_t panel_begin(int64_t panels, int64_t i) const noexcept {
    const int64_t at = part_begin((panels + panel_unit - 1) / panel_unit, column_tasks, i) * panel_unit;
    return at < panels ? at : panels;
  }

  // The tile's height is all that may differ for other rows of the same columns, k and row_bytes, as long as one thread does
  // the work: most layers of a network are planned again at each new shape, and this is all they need.
  bool only_tile_follows_rows(int threads, const PlanChoice* choice) const noexcept { return threads == 1 && choice == nullptr && !chosen; }
  void set_tile(int32_t rows) noexcept {
    tile_rows = rows;
    row_block = !panels_outer || k_part > 0 ? 240 : rows_in_cache > 3 * rows ? rows_in_cache : 3 * rows;
  }
};

// `products`: independent products (groups, batch items) that are tasks by themselves. `row_bytes`: bytes of
// activation that one more row brings into the cache; `row_stride`: floats from row to row; `l2`: bytes of the second cache.
WorkSplit split_work(const TileEngine& engine, int64_t rows, int64_t columns, int64_t k, int64_t row_bytes, int64_t row_stride,
                     int64_t products, int threads, const PlanChoice* choice = nullptr, int64_t l2 = cpu().l2) noexcept;

// Other splits of the same work, for a tuner: written as choices that split_work() takes. Changes of meaning change the
// revision. `split` is the cost model's.
constexpr int kSplitRevision = 2;
int split_choices(const TileEngine& engine, const WorkSplit& split, int64_t rows, int64_t columns, int threads,
                  std::span<PlanChoice> out) noexcept;

}  // namespace anydim
