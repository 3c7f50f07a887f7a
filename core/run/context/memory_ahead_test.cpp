// SPDX-License-Identifier: Apache-2.0
// What contexts get ahead stays a small part of what the process holds, however many there are, and is free again when they end.
#include "core/run/context/memory_ahead.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace anydim {
namespace {

constexpr int64_t kMuch = int64_t{1} << 40;

TEST(MemoryAhead, AContextGetsWhatItWantsIfThatIsLittle) {
  MemoryAhead ahead;
  EXPECT_EQ(ahead.grant(1000), 1000);
}

TEST(MemoryAhead, AllContextsTogetherGetASmallPartOfWhatTheProcessHolds) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the shadow of ThreadSanitizer counts as what the process holds";
#endif
  std::vector<char> resident(size_t{200} << 20, 1);  // so that a tenth is more than 20 MB
  std::vector<std::unique_ptr<MemoryAhead>> contexts;
  int64_t first = 0, sum = 0;
  for (int i = 0; i < 100; ++i) {
    contexts.push_back(std::make_unique<MemoryAhead>());
    const int64_t bytes = contexts.back()->grant(kMuch);
    EXPECT_GE(bytes, MemoryAhead::kAlways);
    EXPECT_LE(bytes, MemoryAhead::kMost);
    if (i == 0) first = bytes;
    sum += bytes - MemoryAhead::kAlways;
  }
  EXPECT_GT(first, int64_t{10} << 20);
  EXPECT_LE(sum, MemoryAhead::kMost);  // of a process of less than 320 MB
  EXPECT_EQ(contexts.back()->grant(1000), 1000);
  contexts.clear();
  MemoryAhead again;
  EXPECT_GT(again.grant(kMuch), int64_t{10} << 20) << "what ended contexts had is free";
  EXPECT_EQ(resident[resident.size() / 2], 1);
}

}  // namespace
}  // namespace anydim
