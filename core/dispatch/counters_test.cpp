// SPDX-License-Identifier: Apache-2.0
// The table of counters: names once each, a row for each counter that is kept, and numbers that follow what happens.
#include "core/dispatch/counters.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "core/dispatch/primitive_cache.h"
#include "core/ops/softmax.h"

namespace anydim {
namespace {

std::map<std::string, int64_t> all() {
  std::map<std::string, int64_t> values;
  for (const CounterRow& row : counters()) values[row.name] = row.value();
  return values;
}

TEST(Counters, HaveNamesOfTheirOwnAndDocumentation) {
  EXPECT_EQ(all().size(), counters().size());
  for (const CounterRow& row : counters()) EXPECT_GT(std::string(row.doc).size(), 10u) << row.name;
}

TEST(Counters, AppearInTheTableOnceEach) {
  for (int32_t i = 0; i < static_cast<int32_t>(Counter::count_); ++i) {
    const auto before = all();
    count(static_cast<Counter>(i), 1000);
    int changed = 0;
    for (const auto& [name, value] : all()) changed += value == before.at(name) + 1000;
    EXPECT_EQ(changed, 1) << i;
  }
}

TEST(Counters, TellHitsAndMissesOfTheProcessesPrimitiveCache) {
  const OperatorPtr op = *Softmax::make(-1, false);
  const TensorDescriptor in{DType::f32, {{71, {}}, {17, {}}}};
  const TensorDescriptor* described = &in;
  const auto before = all();
  for (int i = 0; i < 3; ++i) {
    PrimitivePtr p;
    Creation how;
    ASSERT_TRUE(PrimitiveCache::process().create(op, {&described, 1}, {}, nullptr, &p, &how).ok());
  }
  const auto after = all();
  const auto grew = [&](const char* name) { return after.at(name) - before.at(name); };
  EXPECT_EQ(grew("primitives_created"), 1);
  EXPECT_EQ(grew("primitive_cache_misses"), 1);
  EXPECT_EQ(grew("primitive_cache_hits"), 2);
  EXPECT_EQ(grew("primitive_cache_entries"), 1);
  EXPECT_GT(grew("primitive_cache_bytes"), 0);
}

}  // namespace
}  // namespace anydim
