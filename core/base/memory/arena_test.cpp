// SPDX-License-Identifier: Apache-2.0
// The arena's own promises: touched memory of the size asked for, growth by what is missing, errors that lose nothing.
#include "core/base/memory/arena.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "core/base/checked.h"
#include "core/base/testing/emulated.h"

namespace anydim {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

int64_t untouched_pages(const Arena& arena) {
  if (testing::emulated()) return 0;  // the emulator's mincore() knows of no page
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

// The process's costs are those that a growth decides by; a test says what they are.
void make_huge_pages_pay() {
  for (int i = 0; i < 40; ++i) PageCosts::instance().noted_small(kMiB, 400'000);
  PageCosts::instance().noted_huge(200'000);
}
void make_huge_pages_dear() {
  for (int i = 0; i < 40; ++i) PageCosts::instance().noted_small(kMiB, 400'000);
  PageCosts::instance().noted_huge(6'000'000);
}
// Where the system has none the rule is always that of small ones.
bool has_huge_pages() {
  make_huge_pages_pay();
  return PageCosts::instance().huge(kMiB);
}

TEST(Arena, GrowsByStepsOfSmallPagesAndThenByHugeOnes) {
  if (!has_huge_pages()) GTEST_SKIP() << "this system has no huge pages";
  Arena arena;
  ASSERT_TRUE(arena.grow(1).ok());
  EXPECT_EQ(arena.size(), Arena::kStep);
  ASSERT_TRUE(arena.grow(Arena::kStep).ok());
  EXPECT_EQ(arena.size(), Arena::kStep);
  ASSERT_TRUE(arena.grow(300'000).ok());
  EXPECT_EQ(arena.size(), 10 * Arena::kStep);
  ASSERT_TRUE(arena.grow(Arena::kSmall).ok());
  EXPECT_EQ(arena.size(), Arena::kSmall);
  // Of the last huge page so little that small ones are cheaper; then more of it.
  make_huge_pages_pay();
  ASSERT_TRUE(arena.grow(Arena::kSmall + 1).ok());
  EXPECT_EQ(arena.size(), Arena::kSmall + Arena::kStep);
  ASSERT_TRUE(arena.grow(Arena::kSmall + kMiB).ok());
  EXPECT_EQ(arena.size(), Arena::kSmall + 2 * kMiB);
  EXPECT_EQ(untouched_pages(arena), 0);
  make_huge_pages_pay();
  ASSERT_TRUE(arena.grow(20 * kMiB).ok());
  EXPECT_EQ(arena.size(), Arena::kSmall + 20 * kMiB);
  EXPECT_EQ(untouched_pages(arena), 0);
}

TEST(Arena, GrowsInStepsOfSmallPagesWhereHugeOnesAreSlow) {
  for (int threads : {1, 3}) {
    make_huge_pages_dear();
    Arena arena;
    ASSERT_TRUE(arena.grow(10 * kMiB + 5000, Parallel(threads)).ok());
    EXPECT_EQ(arena.size(), 10 * kMiB + Arena::kStep);
    EXPECT_EQ(arena.pages().huge_bytes, 0);
    EXPECT_EQ(arena.pages().small_bytes, arena.size());
    EXPECT_GT(arena.pages().nanoseconds, 0);
    std::memset(arena.data(), 42, static_cast<size_t>(arena.size()));
    ASSERT_TRUE(arena.grow(15 * kMiB, Parallel(threads), arena.size()).ok());
    EXPECT_EQ(arena.size(), 15 * kMiB);
    EXPECT_EQ(arena.data()[10 * kMiB], std::byte{42});
    EXPECT_EQ(untouched_pages(arena), 0);
  }
}

TEST(Arena, ReportsWhichPagesItHas) {
  if (!has_huge_pages()) GTEST_SKIP() << "this system has no huge pages";
  Arena arena;
  ASSERT_TRUE(arena.grow(1000).ok());
  EXPECT_EQ(arena.pages().small_bytes, Arena::kStep);
  EXPECT_EQ(arena.pages().huge_bytes, 0);
  make_huge_pages_pay();
  ASSERT_TRUE(arena.grow(Arena::kSmall + 9 * kMiB).ok());
  EXPECT_GE(arena.pages().huge_bytes, 2 * kMiB);  // and all of it, if none of them was expensive
  EXPECT_EQ(arena.pages().huge_bytes + arena.pages().small_bytes, arena.size());
}

TEST(Arena, IsMadeOfHugePagesOnlyWhereItsFirstGrowthIsLarge) {
  if (!has_huge_pages()) GTEST_SKIP() << "this system has no huge pages";
  Arena arena;
  ASSERT_TRUE(arena.grow(3 * kMiB).ok());
  EXPECT_EQ(arena.size(), 4 * kMiB);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(arena.data()) % (2 * kMiB), 0u);
  make_huge_pages_pay();
  ASSERT_TRUE(arena.grow(5 * kMiB + 1).ok());
  EXPECT_EQ(arena.size(), 6 * kMiB);
}

TEST(Arena, FitsAFirstShapeAndIsMadeOfHugePagesFromTheNextOneOn) {
  if (!has_huge_pages()) GTEST_SKIP() << "this system has no huge pages";
  for (int64_t before : {int64_t{0}, int64_t{1000}}) {
    Arena arena;
    if (before > 0) {
      ASSERT_TRUE(arena.grow(before).ok());
    }
    const int64_t small = before > 0 ? Arena::kSmall : 0;
    ASSERT_TRUE(arena.fit(small + 3 * kMiB + 5000).ok());
    EXPECT_EQ(arena.size(), small + 3 * kMiB + 8192);
    EXPECT_EQ(untouched_pages(arena), 0);
    std::byte* const data = arena.data();
    std::memset(data, 42, static_cast<size_t>(arena.size()));
    ASSERT_TRUE(arena.grow(arena.size()).ok());
    EXPECT_EQ(arena.size(), small + 3 * kMiB + 8192);
    make_huge_pages_pay();
    ASSERT_TRUE(arena.grow(arena.size() + 1, Parallel{2}).ok());
    EXPECT_EQ(arena.size(), small + 4 * kMiB);
    EXPECT_EQ(arena.data(), data);
    EXPECT_EQ(untouched_pages(arena), 0);
    std::memset(data, 43, static_cast<size_t>(arena.size()));
    ASSERT_TRUE(arena.fit(small + 6 * kMiB).ok());
    EXPECT_EQ(arena.size(), small + 6 * kMiB);
  }
}

TEST(Arena, MovesWithItsPagesWhereItOutgrowsItsAddressSpace) {
  Arena arena;
  ASSERT_TRUE(arena.grow(5000).ok());
  int64_t had = 0, moves = 0;
  for (int64_t bytes : {5000, 500'000, 700'000, 2'000'000, 5'000'000, 20'000'000, 21'000'000, 90'000'000}) {
    const std::byte* const before = arena.data();
    const int64_t got = arena.pages().small_bytes + arena.pages().huge_bytes, size = arena.size();
    // Whether or not huge pages pay now: those at the end that a huge one replaces are not kept, so all that was there is to be kept.
    ASSERT_TRUE(arena.grow(bytes, Parallel{2}, size).ok());
    moves += arena.data() != before ? 1 : 0;
    EXPECT_EQ(arena.pages().small_bytes + arena.pages().huge_bytes - got, arena.size() - size) << "only what is added is touched";
    EXPECT_EQ(untouched_pages(arena), 0) << bytes;
    int64_t lost = 0;
    for (int64_t i = 0; i < had; ++i) lost += arena.data()[i] != static_cast<std::byte>(i % 251);
    EXPECT_EQ(lost, 0) << bytes;
    had = arena.size();
    for (int64_t i = 0; i < had; ++i) arena.data()[i] = static_cast<std::byte>(i % 251);
  }
  EXPECT_GE(moves, 2);
}

int64_t address_space() {
  long pages = 0;
  std::FILE* const statm = std::fopen("/proc/self/statm", "r");
  if (statm == nullptr || std::fscanf(statm, "%ld", &pages) != 1) pages = -1;
  if (statm != nullptr) std::fclose(statm);
  return pages * 4096;
}

TEST(Arena, ReservesAddressSpaceInProportion) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need address space of their own";
#endif
  if (testing::emulated()) GTEST_SKIP() << "the emulator has address space of its own";
  std::vector<std::unique_ptr<Arena>> arenas(1000);
  const int64_t before = address_space();
  for (auto& arena : arenas) {
    arena = std::make_unique<Arena>();
    ASSERT_TRUE(arena->grow(1000).ok());
  }
  EXPECT_LE(address_space() - before, 1000 * Arena::kSmall + 16 * kMiB);
  const int64_t between = address_space();
  ASSERT_TRUE(arenas[0]->grow(100 * kMiB).ok());
  EXPECT_LE(address_space() - between, 410 * kMiB);
}

TEST(Arena, IsTouchedWhenReservedAndWhenGrownByAnyNumberOfThreads) {
  for (int threads : {1, 3}) {
    Arena arena;
    for (int64_t bytes : {3000, 300'000, 3'000'000, 30'000'000}) {
      ASSERT_TRUE(arena.grow(bytes, Parallel(threads)).ok());
      EXPECT_EQ(untouched_pages(arena), 0) << bytes << " bytes";
      Arena fixed;
      ASSERT_TRUE(fixed.reserve(bytes, Parallel(threads)).ok());
      EXPECT_EQ(untouched_pages(fixed), 0) << bytes << " bytes";
    }
  }
}

// In a process of its own, whose address space is limited as by `ulimit -v`.
TEST(Arena, GrowsWhereAddressSpaceIsScarce) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need address space of their own";
#endif
  if (testing::emulated()) GTEST_SKIP() << "the emulator keeps no limit of address space";
  EXPECT_EXIT(
      {
        Arena arena;
        if (!arena.grow(1000).ok()) _exit(1);
        rlimit limit{};
        long pages = 0;
        std::FILE* statm = std::fopen("/proc/self/statm", "r");
        if (!statm || std::fscanf(statm, "%ld", &pages) != 1) _exit(2);
        limit.rlim_cur = limit.rlim_max = static_cast<rlim_t>(pages) * 4096 + 100 * kMiB;
        if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(3);
        Arena other;
        if (!other.grow(40 * kMiB).ok()) _exit(4);
        std::memset(other.data(), 1, static_cast<size_t>(40 * kMiB));
        if (other.grow(400 * kMiB).code() != Code::out_of_memory) _exit(5);
        _exit(other.data()[40 * kMiB - 1] == std::byte{1} ? 0 : 6);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(Arena, TakesAlongWhatIsToBeKeptWhereItMoves) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need address space of their own";
#endif
  if (testing::emulated()) GTEST_SKIP() << "the emulator keeps no limit of address space";
  EXPECT_EXIT(
      {
        rlimit limit{};
        long pages = 0;
        std::FILE* statm = std::fopen("/proc/self/statm", "r");
        if (!statm || std::fscanf(statm, "%ld", &pages) != 1) _exit(1);
        limit.rlim_cur = limit.rlim_max = static_cast<rlim_t>(pages) * 4096 + 100 * kMiB;
        if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(2);
        Arena arena;
        if (!arena.grow(10 * kMiB).ok()) _exit(3);
        for (int64_t i = 0; i < 10 * kMiB; ++i) arena.data()[i] = static_cast<std::byte>(i % 251);
        const std::byte* const before = arena.data();
        if (!arena.grow(22 * kMiB, Parallel{1}, 9 * kMiB).ok()) _exit(4);
        if (arena.data() == before) _exit(5);
        for (int64_t i = 0; i < 9 * kMiB; ++i)
          if (arena.data()[i] != static_cast<std::byte>(i % 251)) _exit(6);
        _exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(Arena, KeepsWhatLiesInTheSmallPagesAtItsEnd) {
  for (const int64_t keep : {int64_t{1} * kMiB, int64_t{3} * kMiB + 4000}) {
    Arena arena;
    ASSERT_TRUE(arena.fit(3 * kMiB + 5000).ok());
    for (int64_t i = 0; i < arena.size(); ++i) arena.data()[i] = static_cast<std::byte>(i % 251);
    ASSERT_TRUE(arena.grow(9 * kMiB, Parallel{1}, keep).ok());
    EXPECT_EQ(untouched_pages(arena), 0);
    int64_t lost = 0;
    for (int64_t i = 0; i < keep; ++i) lost += arena.data()[i] != static_cast<std::byte>(i % 251);
    EXPECT_EQ(lost, 0);
  }
}

TEST(Arena, StaysAsItWasAfterARefusal) {
  Arena arena;
  ASSERT_TRUE(arena.grow(1000).ok());
  std::memset(arena.data(), 42, 1000);
  std::byte* const data = arena.data();
  for (int64_t bytes : {int64_t{1} << 46, int64_t{1} << 50, kMaxSize, INT64_MAX}) {
    for (const Status& s : {arena.reserve(bytes), arena.grow(bytes)}) EXPECT_EQ(s.code(), Code::out_of_memory) << bytes;
    EXPECT_EQ(arena.data(), data);
    EXPECT_EQ(arena.size(), Arena::kStep);
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
