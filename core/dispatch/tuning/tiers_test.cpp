// SPDX-License-Identifier: Apache-2.0
// Tables of plan choices, their exchange under readers, and buckets.
#include "core/dispatch/tuning/tiers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "core/base/testing/random.h"

namespace anydim {
namespace {

using testing::Random;

Args args_of(const TensorView& in, int threads) {
  Args a;
  a.in = {&in, 1};
  a.parallel = Parallel(threads);
  return a;
}
TensorView view(Dims dims) {
  TensorView t;
  t.dtype = DType::f32;
  t.dims = dims;
  t.strides = dense_strides(dims);
  return t;
}
TierEntry entry(uint64_t key, int32_t value) { return {key, {{value, value, value, value, value, value}}, 1.5f}; }

TEST(Buckets, hold_a_range_of_dims_each_up_to_a_quarter_above_the_one_before) {
  int64_t last = 0;
  for (int64_t d = 0; d < 100000; ++d) {
    const int64_t b = bucket_of(d);
    ASSERT_GE(b, d);
    ASSERT_LE(b, std::max<int64_t>(d + d / 4, 8)) << d;
    ASSERT_GE(b, last) << "buckets go up with the dim";
    ASSERT_EQ(bucket_of(b), b) << "the upper end is in its own bucket";
    last = b;
  }
}

TEST(PlanKeys, differ_by_dims_and_threads_and_not_by_strides) {
  TensorView a = view({1, 64, 20, 30}), b = view({1, 64, 30, 20}), c = a;
  c.strides = dense_strides(c.dims, channels_last(4));
  EXPECT_NE(plan_key(args_of(a, 1)), plan_key(args_of(b, 1)));
  EXPECT_NE(plan_key(args_of(a, 1)), plan_key(args_of(a, 2)));
  EXPECT_EQ(plan_key(args_of(a, 1)), plan_key(args_of(c, 1)));
  EXPECT_NE(plan_key(args_of(a, 1)), bucket_key(args_of(a, 1)));
  TensorView near = view({1, 64, 20, 29});
  EXPECT_EQ(bucket_key(args_of(a, 1)), bucket_key(args_of(near, 1)));
}

TEST(Tables, keep_what_was_put_in_and_survive_a_trip_to_disk) {
  Random r(1);
  std::unique_ptr<const TierTable> table = std::make_unique<const TierTable>(std::vector<TierEntry>());
  std::vector<TierEntry> all;
  for (int i = 0; i < 500; ++i) {
    all.push_back(entry(r.engine()(), i));
    table = table->with(all.back());
  }
  table = table->with(entry(all[7].key, 99));
  all[7] = entry(all[7].key, 99);
  const auto back = TierTable::from_bytes(table->to_bytes());
  ASSERT_NE(back, nullptr);
  for (const TierEntry& e : all) {
    ASSERT_NE(back->find(e.key), nullptr);
    EXPECT_EQ(*back->find(e.key), e);
  }
  EXPECT_EQ(back->find(12345), nullptr);
  EXPECT_EQ(TierTable::from_bytes(table->to_bytes().substr(1)), nullptr) << "a record of another length is none";
}

TEST(Tables, have_a_largest_size) {
  std::unique_ptr<const TierTable> table = std::make_unique<const TierTable>(std::vector<TierEntry>());
  for (uint64_t i = 0; i < TierTable::kMostEntries + 100; ++i) table = table->with(entry(i * 7919, 1));
  EXPECT_EQ(table->entries().size(), TierTable::kMostEntries);
  EXPECT_NE(table->find((TierTable::kMostEntries + 99) * 7919), nullptr) << "the newest is in it";
}

// Every entry has equal numbers: a torn or freed table would show others.
TEST(Tiers, give_readers_whole_entries_while_tables_are_exchanged) {
  Tiers tiers;
  const TensorView in = view({3, 4});
  std::atomic<bool> stop{false};
  std::atomic<int64_t> found{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i)
    readers.emplace_back([&] {
      const Args args = args_of(in, 1);
      while (!stop) {
        TierEntry e;
        if (!tiers.find(args, &e)) continue;
        found.fetch_add(1);
        for (int32_t v : e.choice.value) ASSERT_EQ(v, e.choice.value[0]);
      }
    });
  const uint32_t before = tier_epoch();
  for (int32_t i = 0; i < 5000 || found < 100; ++i) tiers.publish(entry(plan_key(args_of(in, 1)), i));
  stop = true;
  for (std::thread& t : readers) t.join();
  EXPECT_GE(tier_epoch() - before, 5000u) << "contexts are told";
  EXPECT_EQ(tiers.entries().size(), 1u);
}

}  // namespace
}  // namespace anydim
