// SPDX-License-Identifier: Apache-2.0
// A split that follows new rows is the split that those rows would have been given; few bytes are read twice; no panel is left out.
#include "core/kernels/tiles/work_split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/checked.h"
#include "core/base/cpu.h"
#include "core/base/text/format.h"
#include "core/base/testing/random.h"
#include "core/kernels/sets.h"

namespace anydim {
namespace {

// Of this architecture: a split needs no CPU that could run its tiles.
std::vector<const TileEngine*> engines() {
  std::vector<const TileEngine*> list;
  for (const auto& engine : parts_of_sets<TileEngine>()) list.push_back(engine.part);
  return list;
}

TEST(WorkSplit, OfOneThreadFollowsOtherRowsByItsTileAlone) {
  testing::Random random(41);
  for (const TileEngine* engine : engines())
    for (int i = 0; i < 20000; ++i) {
      const int64_t columns = random.integer(1, 600), k = random.integer(1, 5000);
      const int64_t row_bytes = 4 * random.integer(1, 5000), row_stride = random.integer(0, 3000);
      const int64_t before = random.integer(0, 200), rows = random.integer(0, random.flag() ? 50 : 100000);
      WorkSplit kept = split_work(*engine, before, columns, k, row_bytes, random.integer(0, 3000), 1, 1);
      ASSERT_TRUE(kept.only_tile_follows_rows(1, nullptr));
      kept.set_tile(engine->rows_for(rows, columns, row_stride * 4, k, cpu().l2));
      const WorkSplit fresh = split_work(*engine, rows, columns, k, row_bytes, row_stride, 1, 1);
      ASSERT_EQ(kept.tile_rows, fresh.tile_rows) << rows << " rows after " << before << ", " << columns << " columns, k " << k;
      ASSERT_EQ(kept.row_block, fresh.row_block) << rows << " rows after " << before << ", " << columns << " columns, k " << k;
      ASSERT_EQ(kept.panels_outer, fresh.panels_outer);
      ASSERT_EQ(kept.row_tasks, fresh.row_tasks);
      ASSERT_EQ(kept.column_tasks, fresh.column_tasks);
    }
}

TEST(WorkSplit, OfAChoiceOrOfThreadsIsComputedAgain) {
  const TileEngine& engine = TileEngine::portable;
  const PlanChoice choice{{1, 7, 1, 0, 0, 0}};
  const WorkSplit chosen = split_work(engine, 100, 64, 64, 256, 64, 1, 1, &choice);
  EXPECT_EQ(chosen.row_block, 7);
  EXPECT_FALSE(chosen.only_tile_follows_rows(1, nullptr)) << "what a choice said does not hold for other dims";
  const WorkSplit own = split_work(engine, 100, 64, 64, 256, 64, 1, 1);
  EXPECT_FALSE(own.only_tile_follows_rows(1, &choice));
  EXPECT_FALSE(own.only_tile_follows_rows(2, nullptr));
}

// What r tasks of rows and c of columns read from beyond L2, in bytes.
double bytes_read(const TileEngine& engine, int64_t row_tasks, int64_t column_tasks, int64_t rows, int64_t columns, int64_t k) {
  return 4.0 * static_cast<double>(k) * static_cast<double>(row_tasks * engine.packed_columns(columns) + column_tasks * rows);
}

// Eleven tasks of six rows read the panels of 64 rows eleven times: two threads were slower than one.
TEST(WorkSplit, PanelsFromBeyondTheSecondCacheAreReadOnceByAFewRows) {
  for (const TileEngine* engine : engines()) {
    const int64_t k = 1024, columns = round_up(2 * cpu().l2 / (k * 4), 512);
    const WorkSplit few = split_work(*engine, 49, columns, k, k * 4, k, 1, 2);
    EXPECT_EQ(few.row_tasks, 1);
    EXPECT_GE(few.column_tasks, 2);
    const WorkSplit many = split_work(*engine, 100 * cpu().l2 / (k * 4), columns, k, k * 4, k, 1, 2);
    EXPECT_GE(many.row_tasks, 2);
    const WorkSplit narrow = split_work(*engine, 4900, 64, k, k * 4, k, 1, 2);
    EXPECT_GE(narrow.row_tasks, 2);
    const int64_t wide = 4 * cpu().l2 / (256 * 4);  // weights of 16 times L2
    for (const int64_t rows : {1, 16, 64, 256}) {
      const WorkSplit large = split_work(*engine, rows, wide, wide, wide * 4, wide, 1, 2);
      EXPECT_EQ(large.row_tasks, 1) << rows;
      EXPECT_EQ(large.column_tasks, 16) << rows;
    }
  }
}

// No cut into as many tasks reads much less, and there is work for all threads, or for seven of eight.
TEST(WorkSplit, ReadsFewBytesFromBeyondTheSecondCache) {
  testing::Random random(42);
  for (const TileEngine* engine : engines())
    for (int i = 0; i < 20000; ++i) {
      const int threads = static_cast<int>(random.integer(2, random.flag() ? 4 : 64));
      const int64_t columns = random.integer(1, 8192), k = random.integer(64, 8192), rows = random.integer(1, random.flag() ? 64 : 4000);
      const int64_t l2 = int64_t{1 << 18} * random.integer(1, 8);
      if (engine->packed_columns(columns) * k * 4 <= l2) continue;
      const WorkSplit s = split_work(*engine, rows, columns, k, k * 4, k, 1, threads, nullptr, l2);
      const std::string text = formatted("{}x{}x{} on {} threads, {} bytes of L2: {} tasks of rows, {} of columns, in units of {} panels",
                                         rows, k, columns, threads, l2, s.row_tasks, s.column_tasks, s.panel_unit);
      const int64_t panels = engine->panels(columns), units = ceil_div(panels, s.panel_unit), tiles = ceil_div(rows, s.tile_rows);
      ASSERT_LE(s.row_tasks, tiles) << text;
      ASSERT_LE(s.column_tasks, units) << text;
      const int64_t vectors = ceil_div(engine->packed_columns(columns), engine->vector);
      if (rows * k * vectors >> 12 >= threads) {
        ASSERT_GE(8 * s.tasks(), std::min<int64_t>(7 * threads, 8 * tiles * units)) << text;
      }
      const double read = bytes_read(*engine, s.row_tasks, s.column_tasks, rows, columns, k);
      double least = 1e30;
      for (int64_t c = 1; c <= std::min(units, s.tasks()); ++c) {
        const int64_t r = s.tasks() / c;
        if (r <= tiles && 8 * r * c >= 7 * s.tasks()) least = std::min(least, bytes_read(*engine, r, c, rows, columns, k));
      }
      ASSERT_LE(read, 2 * least) << text;
      // Tasks beyond one a thread read at most a line for 64 vector FMAs.
      if (s.tasks() >= 2 * threads && s.tasks() % threads == 0) {
        const double once = bytes_read(*engine, 1, 1, rows, columns, k);
        ASSERT_LE(read - once, static_cast<double>(rows * (k + 16) * vectors)) << text;
      }
    }
}

TEST(WorkSplit, TasksOfColumnsHoldEachPanelOnce) {
  testing::Random random(43);
  for (int i = 0; i < 2000; ++i) {
    WorkSplit s;
    const int64_t panels = random.integer(1, 300);
    s.panel_unit = static_cast<int32_t>(random.integer(1, 4));
    s.row_tasks = random.integer(1, 9);
    s.column_tasks = random.integer(1, 40);
    s.rows_first = random.flag();
    ASSERT_EQ(s.panel_begin(panels, 0), 0);
    ASSERT_EQ(s.panel_begin(panels, s.column_tasks), panels);
    for (int64_t c = 0; c < s.column_tasks; ++c) ASSERT_LE(s.panel_begin(panels, c), s.panel_begin(panels, c + 1));
    std::vector<int> met(static_cast<size_t>(s.tasks()));
    for (int64_t task = 0; task < s.tasks(); ++task) {
      ASSERT_LT(s.row_part(task), s.row_tasks);
      ASSERT_LT(s.column_part(task), s.column_tasks);
      ++met[static_cast<size_t>(s.row_part(task) * s.column_tasks + s.column_part(task))];
    }
    for (const int n : met) ASSERT_EQ(n, 1);
  }
}

}  // namespace
}  // namespace anydim
