// SPDX-License-Identifier: Apache-2.0
// Tasks and cache blocks; see work_split.h.
#include "core/kernels/tiles/work_split.h"

#include <algorithm>
#include <cmath>

#include "core/base/checked.h"

namespace anydim {

namespace {

// Tiles with more rows have no microkernel where they are two vectors wide.
int32_t most_rows(const TileEngine& engine, int64_t columns) noexcept {
  return columns <= engine.vector ? engine.narrow_rows : engine.tile_rows;
}

PlanChoice write(const WorkSplit& s, int threads) noexcept {
  return {{s.tile_rows, static_cast<int32_t>(s.row_block), s.panels_outer, threads > 1 ? static_cast<int32_t>(s.row_tasks) : 0,
           threads > 1 ? static_cast<int32_t>(s.column_tasks) : 0, 0}};
}

// Panels that a tile of the engine takes at once; tasks of columns hold multiples of it.
constexpr int32_t kMostPanelsAtOnce = 4;
int32_t panels_at_once(const TileEngine& engine, int64_t rows, int32_t tile_rows) noexcept {
  return rows <= engine.paired_rows / 2 ? kMostPanelsAtOnce : tile_rows <= engine.paired_rows ? 2 : 1;
}

// Work of which each task of rows reads the panels of its columns from beyond L2, and each task of columns the activation of its rows.
struct Bytes {
  int64_t tiles, panels;
  int32_t unit;  // panels_at_once()
  int64_t wanted;
  int threads;
  double of_panels, of_activation;  // read by one task that does all
  double work;                      // in vector FMAs
};

// The fewest bytes for so many tasks: r tasks of rows and c of columns read r * of_panels + c * of_activation, and c = wanted / r.
// (64 rows, k and columns 4,096, two threads on Zen 4: eleven tasks of rows read 704 MB, 83 GFLOP/s; sixteen of columns 80 MB, 194.)
void cut_by_bytes(const Bytes& b, WorkSplit* s) noexcept {
  int64_t unit = b.unit, units = ceil_div(b.panels, unit);
  // Tiles of several panels gain 3 to 8 %: not where threads would be idle for it.
  for (; unit > 1 && units * b.tiles < 4 * b.threads && b.panels % (unit * b.threads) != 0; units = ceil_div(b.panels, unit)) unit /= 2;
  const auto leaves_few_out = [](int64_t tasks, int64_t r) { return 8 * (tasks % r) <= tasks; };
  for (int64_t tasks = b.wanted;; tasks = round_up(tasks / 2, b.threads)) {
    // The best number of rows of tasks lies between these two; of as many tasks as threads an eighth is lacking at most.
    const double best = std::sqrt(static_cast<double>(tasks) * b.of_activation / b.of_panels);
    int64_t fewer = best < 1 ? 1 : best < static_cast<double>(tasks) ? static_cast<int64_t>(best) : tasks, more = fewer;
    while (!leaves_few_out(tasks, fewer)) --fewer;
    while (!leaves_few_out(tasks, more)) ++more;
    double again = 0;
    for (const int64_t wanted : {fewer, more}) {
      // Fewer tasks of rows than wanted: columns are cut for the rest, so that no thread is idle for it.
      int64_t r = wanted < b.tiles ? wanted : b.tiles, c = r == wanted ? tasks / r : ceil_div(tasks, r);
      if (c > units) {
        c = units;
        r = std::min(ceil_div(tasks, c), b.tiles);
      }
      const double bytes = static_cast<double>(r - 1) * b.of_panels + static_cast<double>(c - 1) * b.of_activation;
      if (wanted != fewer && bytes >= again) continue;
      again = bytes;
      s->row_tasks = r;
      s->column_tasks = c;
    }
    // More tasks than threads even out what else runs on the cores; they may read another line for 64 vector FMAs, no more.
    if (tasks <= b.threads || again <= b.work) break;
  }
  s->panel_unit = static_cast<int32_t>(unit);
  s->rows_first = b.of_panels > b.of_activation;
}

// Whatever the numbers are, the split stays one that covers all rows and panels once.
void take(const PlanChoice& c, const TileEngine& engine, int64_t rows, int64_t columns, int threads, WorkSplit* s) noexcept {
  const auto within = [](int64_t v, int64_t most) { return v < 1 ? 1 : v > most ? (most < 1 ? 1 : most) : v; };
  if (c.value[0] < 1 || c.value[0] > most_rows(engine, columns) || c.value[1] < 1) return;
  // Tasks are cut at whole tiles. Where they have few of them a choice that was measured without that says nothing.
  constexpr int64_t kTilesOfTask = 8;
  if (threads > 1 && c.value[3] == 0 && s->row_tasks > 1 && rows / s->row_tasks < kTilesOfTask * c.value[0]) return;
  s->tile_rows = c.value[0];
  s->row_block = c.value[1];
  s->panels_outer = c.value[2] != 0;
  s->chosen = true;
  if (threads == 1) return;
  // 0: the cost model's, as a choice that was measured with one thread says.
  if (c.value[3] > 0) s->row_tasks = within(c.value[3], ceil_div(rows, s->tile_rows));
  if (c.value[4] > 0) s->column_tasks = within(c.value[4], ceil_div(engine.panels(columns), s->panel_unit));
}

}  // namespace

WorkSplit split_work(const TileEngine& engine, int64_t rows, int64_t columns, int64_t k, int64_t row_bytes, int64_t row_stride,
                     int64_t products, int threads, const PlanChoice* choice, int64_t l2) noexcept {
  WorkSplit s;
  const int64_t panels = engine.panels(columns);
  const int32_t tile_rows = engine.rows_for(rows, columns, row_stride * 4, k, l2);
  if (threads > 1 && rows > 0 && panels > 0) {
    // In vector FMAs. One task a thread is worth its dispatch from 2^12 each (1 us: yolo's 64x64 on a plane of 10x10 then takes
    // 0.62 of one thread's time); more of them, which even out what else runs on the cores, from 2^14 each.
    const int64_t vectors = ceil_div(engine.packed_columns(columns), engine.vector);
    const int64_t work = saturating_mul(saturating_mul(saturating_mul(rows, k + 16), vectors), products);
    int64_t tasks = work >> 14;
    if (tasks < threads) tasks = work >> 12 < threads ? work >> 12 : threads;
    if (tasks > threads * 8) tasks = threads * 8;
    if (tasks > 1) tasks = round_up(tasks, threads);
    const int64_t wanted = ceil_div(tasks, products);
    if (wanted > 1) {
      const int64_t tiles = ceil_div(rows, tile_rows);
      const double panel_bytes = static_cast<double>(engine.packed_columns(columns)) * static_cast<double>(k) * 4;
      if (panel_bytes > static_cast<double>(l2)) {
        const double activation = static_cast<double>(rows) * static_cast<double>(row_bytes);
        const double work_each = static_cast<double>(work) / static_cast<double>(products);
        cut_by_bytes({tiles, panels, panels_at_once(engine, rows, tile_rows), wanted, threads, panel_bytes, activation, work_each}, &s);
      } else {
        s.row_tasks = tiles < wanted ? tiles : wanted;
        s.column_tasks = ceil_div(wanted, s.row_tasks) < panels ? ceil_div(wanted, s.row_tasks) : panels;
      }
    }
  }
  // Where the panels of a task stay in L2 beside the activation, every tile meets all of them and is read once.
  // Otherwise a block of rows stays there and each panel meets all of it.
  const int64_t panel_bytes = saturating_mul(engine.packed_columns(columns) / s.column_tasks, k * 4);
  s.panels_outer = panel_bytes > l2 / 2;
  s.rows_in_cache = row_bytes > 0 ? l2 / 3 / row_bytes : 0;
  // Panels that are themselves too long: parts of k, of 240 rows and two panels, that fill half of L2 (and are whole blocks).
  if (s.panels_outer && 4 * engine.vector * k * 4 > l2 / 2)
    s.k_part = std::max<int64_t>(l2 / 2 / 4 / (240 + 4 * engine.vector) / kSumBlock, 1) * kSumBlock;
  // Each block of rows reads all panels again: one thread takes those that are near for all blocks, and then the next ones. How many
  // is a matter of the panels alone, see only_tile_follows_rows().
  if (threads == 1 && s.panels_outer && s.k_part == 0 && panel_bytes > 4 * l2) {
    s.panel_unit = kMostPanelsAtOnce;
    s.column_tasks = std::min(panel_bytes / (2 * l2), ceil_div(panels, kMostPanelsAtOnce));
  }
  s.set_tile(tile_rows);
  if (choice) take(*choice, engine, rows, columns, threads, &s);
  return s;
}

int split_choices(const TileEngine& engine, const WorkSplit& split, int64_t rows, int64_t columns, int threads,
                  std::span<PlanChoice> out) noexcept {
  int count = 0;
  const auto offer = [&](const WorkSplit& s) {
    WorkSplit taken = split;
    const PlanChoice c = write(s, threads);
    take(c, engine, rows, columns, threads, &taken);
    if (write(taken, threads) == write(split, threads) || count == static_cast<int>(out.size())) return;
    for (int i = 0; i < count; ++i)
      if (out[static_cast<size_t>(i)] == write(taken, threads)) return;
    out[static_cast<size_t>(count++)] = write(taken, threads);
  };
  const int32_t most = most_rows(engine, columns);
  for (const int32_t tile : {split.tile_rows, static_cast<int32_t>(engine.paired_rows), most, (most + 1) / 2}) {
    WorkSplit s = split;
    s.tile_rows = tile;
    s.panels_outer = false;
    s.row_block = 240;
    offer(s);
    s.panels_outer = true;
    for (const int64_t tiles : {3, 8, 20}) {
      s.row_block = tiles * tile;
      offer(s);
    }
  }
  if (threads > 1)
    for (const int64_t columns_apart : {1, 2, 4}) {
      WorkSplit s = split;
      s.column_tasks = columns_apart;
      for (const int64_t tasks : {1, 2, 4, 8}) {
        s.row_tasks = tasks * threads;
        offer(s);
      }
    }
  return count;
}

}  // namespace anydim
