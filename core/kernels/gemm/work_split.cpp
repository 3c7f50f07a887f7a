// SPDX-License-Identifier: Apache-2.0
// Tasks and cache blocks; see work_split.h.
#include "core/kernels/gemm/work_split.h"

#include "core/base/checked.h"

namespace anydim {

WorkSplit split_work(const TileEngine& engine, int64_t rows, int64_t columns, int64_t k, int64_t row_bytes,
                     int64_t row_stride, int64_t products, int threads) noexcept {
  WorkSplit s;
  const int64_t l2 = cpu().l2;
  const int64_t panels = engine.panels(columns);
  const int64_t tile_rows = s.tile_rows = engine.rows_for(rows, columns, row_stride * 4, k, l2);
  if (threads > 1 && rows > 0 && panels > 0) {
    // A task of less than 2^14 vector FMAs (about 5 us) costs more to hand out than it wins.
    const int64_t work = saturating_mul(saturating_mul(rows, k + 16), engine.packed_columns(columns) / engine.vector);
    int64_t tasks = saturating_mul(work, products) >> 14;
    if (tasks > threads * 8) tasks = threads * 8;
    if (tasks > 1) tasks = round_up(tasks, threads);
    const int64_t wanted = ceil_div(tasks, products);
    if (wanted > 1) {
      const int64_t tiles = ceil_div(rows, tile_rows);
      s.row_tasks = tiles < wanted ? tiles : wanted;
      s.column_tasks = ceil_div(wanted, s.row_tasks);
      if (s.column_tasks > panels) s.column_tasks = panels;
    }
  }
  // Where the panels of a task stay in L2 beside the activation, every tile meets all of them and is read once.
  // Otherwise a block of rows stays there and each panel meets all of it.
  const int64_t panel_bytes = saturating_mul(engine.packed_columns(columns) / s.column_tasks, k * 4);
  s.panels_outer = panel_bytes > l2 / 2;
  const int64_t block = row_bytes > 0 ? l2 / 3 / row_bytes : rows;
  s.row_block = s.panels_outer ? (block > 3 * tile_rows ? block : 3 * tile_rows) : 240;
  return s;
}

}  // namespace anydim
