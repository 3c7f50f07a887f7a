// SPDX-License-Identifier: Apache-2.0
// A split that follows new rows is the split that those rows would have been given.
#include "core/kernels/gemm/work_split.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/base/checked.h"
#include "core/base/cpu.h"
#include "core/base/testing/random.h"

namespace anydim {
namespace {

// Of this architecture: a split needs no CPU that could run its tiles.
std::vector<const TileEngine*> engines() {
#if defined(__x86_64__)
  return {&tile_engine_avx512(), &tile_engine_avx2(), &tile_engine_portable()};
#else
  return {&tile_engine_portable()};
#endif
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

TEST(WorkSplit, OfAChoiceOrOfThreadsIsMadeAnew) {
  const TileEngine& engine = tile_engine_portable();
  const PlanChoice choice{{1, 7, 1, 0, 0, 0}};
  const WorkSplit chosen = split_work(engine, 100, 64, 64, 256, 64, 1, 1, &choice);
  EXPECT_EQ(chosen.row_block, 7);
  EXPECT_FALSE(chosen.only_tile_follows_rows(1, nullptr)) << "what a choice said does not hold for other dims";
  const WorkSplit own = split_work(engine, 100, 64, 64, 256, 64, 1, 1);
  EXPECT_FALSE(own.only_tile_follows_rows(1, &choice));
  EXPECT_FALSE(own.only_tile_follows_rows(2, nullptr));
}

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
  }
}

}  // namespace
}  // namespace anydim
