// SPDX-License-Identifier: Apache-2.0
// The memory of the primitive cache: what entries and tables of plans are charged, and that its limit is kept.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

#include "core/base/testing/emulated.h"
#include "core/dispatch/testing/cached_primitives.h"
#include "core/ops/operators/softmax.h"

namespace anydim {
namespace {

int64_t resident_bytes() {
  std::FILE* f = std::fopen("/proc/self/statm", "r");
  long pages = 0, resident = 0;
  const int read = f != nullptr ? std::fscanf(f, "%ld %ld", &pages, &resident) : 0;
  if (f != nullptr) std::fclose(f);
  return read == 2 ? int64_t{resident} * sysconf(_SC_PAGESIZE) : -1;
}

// Both ways in which memory could grow: entries (policy reusable keeps each shape until the limit) and churn.
TEST(PrimitiveCache, StaysWithinItsLimitOverAHundredThousandShapes) {
  constexpr int64_t kLimit = 1 << 20;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr int64_t kShapes = 5'000;  // resident memory is the sanitizer's
#else
  constexpr int64_t kShapes = 100'000;
#endif
  for (const ReusePolicy policy : {ReusePolicy::automatic, ReusePolicy::reusable}) {
    PrimitiveCache cache(kLimit);
    const OperatorPtr op = *Softmax::make(-1, false);
    PrimitiveAttributes attributes;
    attributes.reuse = policy;
    int64_t begin = 0;
    for (int64_t i = 1; i <= kShapes; ++i) {
      ASSERT_TRUE(create(cache, op, {f32({{i}, {i + 7}})}, attributes).status.ok());
      ASSERT_LE(cache.figures().bytes, kLimit);
      if (i == kShapes / 10) begin = resident_bytes();
    }
    if (kShapes == 100'000) {
      EXPECT_LT(resident_bytes() - begin, 512 << 10);
    }
    // An entry is charged at least what it takes.
    if (policy == ReusePolicy::reusable) {
      EXPECT_GT(cache.figures().evictions, 0);
      EXPECT_GT(cache.figures().bytes, kLimit / 2);
    }
  }
}

TEST(PrimitiveCache, ChargesAnEntryWhatItTakes) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "resident memory is the sanitizer's";
#endif
  PrimitiveCache cache(int64_t{1} << 30);
  const OperatorPtr op = convolution();
  const WeightsPtr weights = weights_of(op, {24, 16, 3, 3});
  EXPECT_TRUE(create(cache, op, {f32({{1}, {16}, {4}, {4}})}, reusable(), weights).status.ok());
  const int64_t before = resident_bytes(), charged = cache.figures().bytes;
  for (int64_t i = 1; i <= 20'000; ++i)
    ASSERT_TRUE(create(cache, convolution(), {f32({{1}, {16}, {i}, {4}})}, reusable(), weights).status.ok());
  const double ratio = static_cast<double>(resident_bytes() - before) / static_cast<double>(cache.figures().bytes - charged);
  RecordProperty("resident_over_charged", std::to_string(ratio));
  EXPECT_GT(ratio, 0.4);
  EXPECT_LT(ratio, 1.1);
}

std::unique_ptr<const TierTable> table_of(uint64_t entries, uint64_t salt) {
  std::vector<TierEntry> all;
  all.reserve(entries);
  for (uint64_t i = 0; i < entries; ++i) all.push_back({i * 7919 + salt, {}, 1});
  return std::make_unique<const TierTable>(std::move(all));
}

TEST(PrimitiveCache, ChargesTablesOfPlansAsTheyGrowAndKeepsItsLimit) {
  constexpr int64_t kLimit = 1 << 20;
  PrimitiveCache cache(kLimit);
  const OperatorPtr op = convolution();
  const WeightsPtr weights = weights_of(op, {24, 16, 3, 3});
  std::vector<PrimitivePtr> alive;  // whose cores go on growing when their entries are gone
  for (int64_t side = 1; side <= 60; ++side)
    alive.push_back(create(cache, op, {f32({{1}, {16}, {side}, {side}})}, reusable(), weights).primitive);
  ASSERT_EQ(cache.figures().entries, 60);
  ASSERT_EQ(cache.figures().evictions, 0);

  const int64_t before = cache.figures().bytes;
  alive[0]->core()->tiers().publish(table_of(100, 0));
  const int64_t hundred = cache.figures().bytes - before;
  EXPECT_GE(hundred, static_cast<int64_t>(100 * sizeof(TierEntry)));
  EXPECT_LE(hundred, static_cast<int64_t>(100 * sizeof(TierEntry)) + 200);
  alive[0]->core()->tiers().publish(table_of(1, 0));
  EXPECT_LT(cache.figures().bytes - before, 300) << "a table that shrinks is charged less";

  for (size_t i = 0; i < alive.size(); ++i) {
    alive[i]->core()->tiers().publish(table_of(TierTable::kMostEntries, i));
    ASSERT_LE(cache.figures().bytes, kLimit) << i;
  }
  EXPECT_GT(cache.figures().evictions, 30) << "60 full tables are more than twice the limit";
  EXPECT_GT(cache.figures().entries, 10);
  // Entries whose tables were there first are charged for them, too: nothing is left when all are gone.
  cache.clear();
  EXPECT_EQ(cache.figures().entries, 0);
  const int64_t families = cache.figures().bytes;
  for (const PrimitivePtr& p : alive) p->core()->tiers().publish(table_of(10, 1));
  EXPECT_EQ(cache.figures().bytes, families) << "nobody is charged for a core that is in no entry";
}

TEST(PrimitiveCache, ChargesTheCoreOfAnOperatorWhoseShapesKeepChangingForItsTable) {
  PrimitiveCache cache(1 << 20);
  const OperatorPtr op = convolution();
  const WeightsPtr weights = weights_of(op, {24, 16, 3, 3});
  Made made;
  for (int64_t side = 1; side < 20; ++side) made = create(cache, op, {f32({{1}, {16}, {side}, {side}})}, {}, weights);
  ASSERT_EQ(made.how.hit, CacheHit::churn);
  const int64_t before = cache.figures().bytes;
  made.primitive->core()->tiers().publish(table_of(500, 0));
  EXPECT_GE(cache.figures().bytes - before, static_cast<int64_t>(500 * sizeof(TierEntry)));
  cache.set_limit(64 << 10);  // an eighth of it is less than that table
  EXPECT_LE(cache.figures().bytes, 64 << 10);
}

TEST(PrimitiveCache, MayGoBeforeTheCoresItHeld) {
  PrimitivePtr survivor;
  {
    PrimitiveCache cache(1 << 20);
    const OperatorPtr op = convolution();
    survivor = create(cache, op, {f32({{1}, {16}, {4}, {4}})}, reusable(), weights_of(op, {24, 16, 3, 3})).primitive;
  }
  survivor->core()->tiers().publish(table_of(5, 0));
  EXPECT_EQ(survivor->core()->tiers().entries().size(), 5u);
}

TEST(PrimitiveCache, KeepsItsLimitWhileTablesGrowUnderCreations) {
  constexpr int64_t kLimit = 256 << 10;
  PrimitiveCache cache(kLimit);
  const OperatorPtr op = convolution();
  const WeightsPtr weights = weights_of(op, {24, 16, 3, 3});
  std::atomic<int> wrong{0};
  {
    std::vector<std::jthread> threads;
    for (uint64_t t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (int64_t i = 0; i < 300; ++i) {
          const Made made = create(cache, op, {f32({{1}, {16}, {1 + i % 40}, {8}})}, reusable(), weights);
          if (!made.status.ok()) ++wrong;
          else made.primitive->core()->tiers().publish(table_of(static_cast<uint64_t>(1 + i * 37 % 700), t));
        }
      });
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(cache.figures().bytes, kLimit);
  cache.clear();
  EXPECT_EQ(cache.figures().bytes, 0) << "what was added is taken off again";
}

// In a process of its own, since the variable is read once.
TEST(PrimitiveCacheDeathTest, ReadsItsLimitFromTheEnvironmentAndReportsAMalformedOne) {
  if (testing::emulated()) GTEST_SKIP() << "the emulator starts no program of the other processor";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto limit_is = [](const char* value, int64_t limit) {
    setenv("ANYDIM_PRIMITIVE_CACHE_BYTES", value, 1);
    std::exit(PrimitiveCache::process().limit() == limit ? 0 : 1);
  };
  EXPECT_EXIT(limit_is("123456", 123456), ::testing::ExitedWithCode(0), "^$");
  EXPECT_EXIT(limit_is("4MB", PrimitiveCache::kDefaultLimit), ::testing::ExitedWithCode(0),
              "ANYDIM_PRIMITIVE_CACHE_BYTES is '4MB'; expected a number from 0; 4194304 is used");
}

}  // namespace
}  // namespace anydim
