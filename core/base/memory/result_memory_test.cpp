// SPDX-License-Identifier: Apache-2.0
// Memory of results: a size that was there before costs no page fault, blocks of several threads lie apart, much that is free goes back.
#include "core/base/memory/result_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "core/base/testing/emulated.h"
#include "core/base/testing/random.h"

namespace anydim {
namespace {

constexpr int64_t kOneMiB = int64_t{1} << 20;

long faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

TEST(ResultMemory, ResultsOfASizeThatWasThereCostNoPageFault) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers have an allocator of their own, and count";
#endif
  if (testing::emulated()) GTEST_SKIP() << "the emulator's faults are told";
  ResultMemory& memory = ResultMemory::instance();
  const int64_t sizes[] = {20'000, 100'000, 120'000, 127'000, 3 * kOneMiB};
  void* blocks[std::size(sizes)];
  const auto call = [&] {
    for (size_t i = 0; i < std::size(sizes); ++i) {
      blocks[i] = memory.allocate(sizes[i]);
      ASSERT_NE(blocks[i], nullptr);
      std::memset(blocks[i], 1, static_cast<size_t>(sizes[i]));
    }
    for (size_t i = std::size(sizes); i-- > 0;) memory.free(blocks[i]);
  };
  call();
  const long before = faults();
  for (int i = 0; i < 100; ++i) call();
  EXPECT_LT(faults() - before, 10) << "less than one for ten calls";
}

TEST(ResultMemory, ALargerResultIsTouchedByAllThreads) {
  if (testing::emulated()) GTEST_SKIP() << "the emulator's mincore() knows of no page";
  for (const int64_t bytes : {int64_t{200'000}, 9 * kOneMiB, 30 * kOneMiB}) {
    void* const block = ResultMemory::instance().allocate(bytes, Parallel(3));
    ASSERT_NE(block, nullptr);
    std::vector<unsigned char> resident(static_cast<size_t>(bytes / 4096));
    ASSERT_EQ(mincore(block, static_cast<size_t>(bytes / 4096 * 4096), resident.data()), 0);
    EXPECT_EQ(std::count_if(resident.begin(), resident.end(), [](unsigned char page) { return (page & 1) == 0; }), 0) << bytes;
    ResultMemory::instance().free(block);
  }
}

TEST(ResultMemory, BlocksOfThreadsThatGrowAtOnceLieApart) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t, &wrong] {
      testing::Random random(static_cast<uint64_t>(t));
      for (int i = 0; i < 100; ++i) {
        const int64_t size = random.integer(16 << 10, 2 * kOneMiB);
        auto* const block = static_cast<unsigned char*>(ResultMemory::instance().allocate(size, Parallel(2)));
        if (block == nullptr) {
          ++wrong;
          return;
        }
        std::memset(block, t + 1, static_cast<size_t>(size));
        std::this_thread::yield();
        if (std::any_of(block, block + size, [&](unsigned char c) { return c != t + 1; })) ++wrong;
        ResultMemory::instance().free(block);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(ResultMemory, MuchThatIsFreeGoesBackAndComesAgain) {
  ResultMemory& memory = ResultMemory::instance();
  const int64_t bytes = 2 * ResultMemory::kKept;
  auto* const block = static_cast<std::byte*>(memory.allocate(bytes));
  ASSERT_NE(block, nullptr);
  std::memset(block, 1, static_cast<size_t>(bytes));
  memory.free(block);
  if (!testing::emulated()) {
    std::vector<unsigned char> resident(static_cast<size_t>(bytes) / 4096);
    ASSERT_EQ(mincore(block, static_cast<size_t>(bytes), resident.data()), 0);
    const auto pages = std::count_if(resident.begin(), resident.end(), [](unsigned char page) { return (page & 1) != 0; });
    EXPECT_LE(pages * 4096, ResultMemory::kKept + 4 * kOneMiB);
  }
  auto* const again = static_cast<std::byte*>(memory.allocate(bytes));
  ASSERT_NE(again, nullptr);
  std::memset(again, 2, static_cast<size_t>(bytes));
  EXPECT_EQ(again[bytes - 1], std::byte{2});
  memory.free(again);
}

int64_t resident_bytes(std::byte* begin, int64_t bytes) {
  std::vector<unsigned char> resident(static_cast<size_t>(bytes) / 4096);
  EXPECT_EQ(mincore(begin, static_cast<size_t>(bytes), resident.data()), 0);
  return 4096 * std::count_if(resident.begin(), resident.end(), [](unsigned char page) { return (page & 1) != 0; });
}

TEST(ResultMemory, WhatALaterResultNeededAgainStaysForAWhile) {
  if (testing::emulated()) GTEST_SKIP() << "no resident pages are told there";
  ResultMemory& memory = ResultMemory::instance();
  const int64_t bytes = 3 * ResultMemory::kKept;
  std::byte* block = nullptr;
  for (int i = 0; i < 2; ++i) {  // the second one finds its pages gone
    block = static_cast<std::byte*>(memory.allocate(bytes));
    ASSERT_NE(block, nullptr);
    std::memset(block, 1, static_cast<size_t>(bytes));
    memory.free(block);
    if (i == 0) {
      EXPECT_LT(resident_bytes(block, bytes), bytes);
    }
  }
  EXPECT_EQ(resident_bytes(block, bytes), bytes);
  for (int i = 0; i < 2 * ResultMemory::kWindow; ++i) memory.free(memory.allocate(ResultMemory::kLeast));
  EXPECT_LT(resident_bytes(block, bytes), bytes / 2);
}

TEST(ResultMemory, AddressSpaceThatIsTooSmallForALargerResultGoesBack) {
  if (testing::emulated()) GTEST_SKIP() << "the emulator's mincore() knows of no page";
  ResultMemory memory;
  const auto is_mapped = [](const void* address) {
    unsigned char page = 0;
    return mincore(reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(address) & ~uintptr_t{4095}), 1, &page) == 0;
  };
  auto* const small = static_cast<std::byte*>(memory.allocate(1 << 20));
  ASSERT_NE(small, nullptr);
  auto* const large = static_cast<std::byte*>(memory.allocate(300 * kOneMiB));
  ASSERT_NE(large, nullptr);
  small[0] = std::byte{7};
  EXPECT_TRUE(is_mapped(small)) << "a result holds its memory";
  memory.free(small);
  EXPECT_FALSE(is_mapped(small));
  memory.free(large);
  EXPECT_TRUE(is_mapped(large)) << "the largest one stays";
  auto* const again = static_cast<std::byte*>(memory.allocate(1 << 20));
  EXPECT_EQ(again, large);
  memory.free(again);
}

TEST(ResultMemory, AForkedChildAllocatesAndFrees) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer refuses threads in a child";
#endif
  void* const before = ResultMemory::instance().allocate(100'000);
  ASSERT_NE(before, nullptr);
  const pid_t child = fork();
  if (child == 0) {
    void* const block = ResultMemory::instance().allocate(5 * kOneMiB);
    if (block == nullptr) _exit(1);
    std::memset(block, 1, static_cast<size_t>(5 * kOneMiB));
    ResultMemory::instance().free(block);
    ResultMemory::instance().free(before);
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  ResultMemory::instance().free(before);
}

}  // namespace
}  // namespace anydim
