// SPDX-License-Identifier: Apache-2.0
// The table of counters: names once each, a row for each counter that is kept, and numbers that follow what happens.
#include "core/dispatch/observe/counters.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "core/dispatch/caches/persistent_cache.h"
#include "core/dispatch/caches/primitive_cache.h"
#include "core/engines/cpu/engine.h"
#include "core/ops/operators/softmax.h"

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

TEST(Counters, CountHitsAndMissesOfTheProcessesPrimitiveCache) {
  const OperatorPtr op = *Softmax::make(-1, false);
  const TensorDescriptor in{DType::f32, {{71, {}}, {17, {}}}};
  const TensorDescriptor* described = &in;
  const auto before = all();
  for (int i = 0; i < 3; ++i) {
    PrimitivePtr p;
    Creation how;
    ASSERT_TRUE(PrimitiveCache::process().create(cpu_engine(), op, {&described, 1}, {}, nullptr, &p, &how).ok());
  }
  const auto after = all();
  const auto grew = [&](const char* name) { return after.at(name) - before.at(name); };
  EXPECT_EQ(grew("primitives_created"), 1);
  EXPECT_EQ(grew("primitive_cache_misses"), 1);
  EXPECT_EQ(grew("primitive_cache_hits"), 2);
  EXPECT_EQ(grew("primitive_cache_entries"), 1);
  EXPECT_GT(grew("primitive_cache_bytes"), 0);
}

// In a child, whose persistent cache is its own: the process of the tests may have had one already.
TEST(Counters, CountWhatThePersistentCacheDidAndReadingThemCreatesNone) {
  std::string folder = ::testing::TempDir() + "anydim_counters_XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const pid_t child = fork();
  if (child == 0) {
    setenv("ANYDIM_CACHE", "on", 1);
    setenv("ANYDIM_CACHE_DIR", folder.c_str(), 1);
    setenv("ANYDIM_CACHE_SYSTEM_DIR", "", 1);
    const auto before = all();
    if (before.at("persistent_cache_hits") != 0 || persistent_cache_so_far() != nullptr) _exit(1);
    PersistentCache& cache = persistent_cache();
    if (!cache.options().enabled) _exit(77);
    if (!cache.store(RecordKind::plan, "key", "value").ok()) _exit(2);
    for (const char* key : {"key", "key", "other"}) (void)cache.find(RecordKind::plan, key);
    const auto after = all();
    const bool good = after.at("persistent_cache_stores") == 1 && after.at("persistent_cache_hits") == 2 &&
                      after.at("persistent_cache_misses") == 1 && after.at("persistent_cache_entries") == 1 &&
                      after.at("persistent_cache_bytes") > 0 && after.at("persistent_cache_load_nanoseconds") > 0 &&
                      after.at("persistent_cache_store_failures") == 0 && after.at("persistent_cache_damaged_records") == 0;
    if (!good) _exit(3);
    // A folder where none can be made: a store fails and is counted.
    setenv("ANYDIM_CACHE_DIR", "/dev/null/none", 1);
    if (fork() == 0)
      _exit(persistent_cache().store(RecordKind::plan, "key", "value").ok() || all().at("persistent_cache_store_failures") != 1);
    int status = -1;
    wait(&status);
    _exit(status == 0 ? 0 : 4);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  std::filesystem::remove_all(folder);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "this build has no persistent cache";
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace anydim
