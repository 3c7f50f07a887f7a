// SPDX-License-Identifier: Apache-2.0
// The arena's own promises: touched memory of the size asked for, room ahead when it grows, errors that lose nothing.
#include "core/graph/arena.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/base/checked.h"

namespace anydim {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

int64_t untouched_pages(const Arena& arena) {
  std::vector<unsigned char> resident(static_cast<size_t>(arena.size()) / 4096);
  EXPECT_EQ(mincore(arena.data(), static_cast<size_t>(arena.size()), resident.data()), 0);
  return std::count_if(resident.begin(), resident.end(), [](unsigned char page) { return (page & 1) == 0; });
}

TEST(Arena, ReservesWholePagesAndNoMore) {
  Arena arena;
  ASSERT_TRUE(arena.reserve(5000).ok());
  EXPECT_EQ(arena.size(), 8192);
  ASSERT_TRUE(arena.reserve(100).ok());
  EXPECT_EQ(arena.size(), 8192);
  ASSERT_TRUE(arena.reserve(5 * kMiB + 1).ok());
  EXPECT_EQ(arena.size(), 5 * kMiB + 4096);
}

TEST(Arena, GrowsByHalfAndInWholeHugePages) {
  Arena arena;
  ASSERT_TRUE(arena.grow(300'000).ok());
  EXPECT_EQ(arena.size(), 303'104);  // the first time there is no stream yet to make room for
  ASSERT_TRUE(arena.grow(400'000).ok());
  EXPECT_EQ(arena.size(), 4 * kMiB);
  ASSERT_TRUE(arena.grow(4 * kMiB + 1).ok());
  EXPECT_EQ(arena.size(), 6 * kMiB);
  ASSERT_TRUE(arena.grow(20 * kMiB - 1).ok());
  EXPECT_EQ(arena.size(), 20 * kMiB);
  ASSERT_TRUE(arena.grow(20 * kMiB + 1).ok());
  EXPECT_EQ(arena.size(), 30 * kMiB);
}

TEST(Arena, IsTouchedWhenReservedAndWhenGrown) {
  Arena arena;
  for (int64_t bytes : {3000, 300'000, 3'000'000, 30'000'000}) {
    ASSERT_TRUE(arena.grow(bytes).ok());
    EXPECT_EQ(untouched_pages(arena), 0) << bytes << " bytes";
  }
}

TEST(Arena, StaysAsItWasAfterARefusal) {
  Arena arena;
  ASSERT_TRUE(arena.grow(1000).ok());
  std::memset(arena.data(), 42, 1000);
  std::byte* const data = arena.data();
  for (int64_t bytes : {int64_t{1} << 50, kMaxSize, INT64_MAX}) {
    for (const Status& s : {arena.reserve(bytes), arena.grow(bytes)}) EXPECT_EQ(s.code(), Code::out_of_memory) << bytes;
    EXPECT_EQ(arena.data(), data);
    EXPECT_EQ(arena.size(), 4096);
    EXPECT_EQ(arena.data()[999], std::byte{42});
  }
}

TEST(Arena, NeverGrowsWhatIsBorrowed) {
  std::vector<char> memory(4096 + 64);
  char* buffer = memory.data() + (64 - reinterpret_cast<uintptr_t>(memory.data()) % 64) % 64;
  Arena arena;
  arena.borrow(buffer, 4096);
  EXPECT_TRUE(arena.grow(4096).ok());
  const Status s = arena.grow(4097);
  EXPECT_EQ(s.code(), Code::out_of_memory);
  EXPECT_NE(s.message().find("4096"), std::string::npos) << s.message();
  EXPECT_EQ(arena.size(), 4096);
}

}  // namespace
}  // namespace anydim
