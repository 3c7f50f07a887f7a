// SPDX-License-Identifier: Apache-2.0
// Memory made of pages: drawn sequences of writing, growing, forgetting and sharing beside plain copies, also by several threads at once.
#include "core/base/memory/paged_memory.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "core/base/testing/random.h"

namespace anydim {
namespace {

using testing::run_seed;

constexpr PagedMemory::Layout kLayout{3, 256, 16};  // three stretches of slices of 256 bytes; a page has 4,096 bytes of each

// A memory and what it should hold: `held` slices of each stretch.
struct Sequence {
  PagedMemory memory;
  std::vector<std::vector<unsigned char>> expected{static_cast<size_t>(kLayout.lines)};
  int64_t held = 0;

  std::byte* at(int64_t line, int64_t slice) const { return memory.data() + (line * memory.room() + slice) * kLayout.slice_bytes; }
  void append(int64_t slices, std::mt19937_64& random) {
    if (held + slices > memory.room()) ASSERT_TRUE(memory.extend(2 * (held + slices)).ok());
    int64_t copied = 0;
    ASSERT_TRUE(memory.make_writable(held, held + slices, held, &copied).ok());
    ASSERT_LE(copied, memory.page_bytes()) << "the page that others have, too, alone";
    for (int64_t line = 0; line < kLayout.lines; ++line)
      for (int64_t i = 0; i < slices * kLayout.slice_bytes; ++i) {
        const auto byte = static_cast<unsigned char>(random());
        expected[static_cast<size_t>(line)].push_back(byte);
        at(line, held)[i] = static_cast<std::byte>(byte);
      }
    held += slices;
  }
  void keep(int64_t slices) {
    memory.keep(slices);
    held = slices;
    for (auto& line : expected) line.resize(static_cast<size_t>(slices * kLayout.slice_bytes));
  }
  Sequence fork() const {
    Sequence made;
    EXPECT_TRUE(memory.share(&made.memory).ok());
    made.expected = expected;
    made.held = held;
    return made;
  }
  void check() const {
    for (int64_t line = 0; line < kLayout.lines; ++line) {
      const auto& bytes = expected[static_cast<size_t>(line)];
      ASSERT_TRUE(bytes.empty() || std::memcmp(at(line, 0), bytes.data(), bytes.size()) == 0) << "stretch " << line;
    }
  }
};

Sequence sequence_of(const std::shared_ptr<PagePool>& pool) {
  Sequence made;
  EXPECT_TRUE(PagedMemory::create(pool, kLayout, 20, &made.memory).ok());
  return made;
}

// Appends, forgets and forks at random; every sequence has its own bytes after each step.
void draw(Sequence first, uint64_t seed, int steps) {
  std::mt19937_64 random(seed);
  std::vector<Sequence> all;
  all.push_back(std::move(first));
  for (int i = 0; i < steps; ++i) {
    const size_t which = random() % all.size();
    switch (random() % 8) {
      case 0:
        if (all.size() < 6) all.push_back(all[which].fork());
        break;
      case 1: all[which].keep(static_cast<int64_t>(random() % static_cast<uint64_t>(all[which].held + 1))); break;
      case 2:
        if (all.size() > 1) all.erase(all.begin() + static_cast<std::ptrdiff_t>(which));
        break;
      default: all[which].append(1 + static_cast<int64_t>(random() % 20), random);
    }
    for (const Sequence& s : all) s.check();
  }
}

TEST(PagedMemory, SequencesHaveTheirOwnBytesWhateverTheyShare) {
  std::shared_ptr<PagePool> pool;
  if (Status s = PagePool::create(0, &pool); !s.ok()) GTEST_SKIP() << s.message();
  const uint64_t seed = run_seed();
  for (uint64_t i = 0; i < 20; ++i) draw(sequence_of(pool), seed + i, 60);
  EXPECT_EQ(pool->bytes(), 0) << "all pages went back";
}

TEST(PagedMemory, ThreadsShareWhatTheirSequencesBeganWith) {
  std::shared_ptr<PagePool> pool;
  if (Status s = PagePool::create(0, &pool); !s.ok()) GTEST_SKIP() << s.message();
  const uint64_t seed = run_seed();
  {
    std::mt19937_64 random(seed);
    Sequence prompt = sequence_of(pool);
    prompt.append(50, random);
    std::vector<std::thread> threads;
    for (uint64_t t = 0; t < 4; ++t)
      threads.emplace_back([t, seed, mine = prompt.fork()]() mutable { draw(std::move(mine), seed + t, 80); });
    for (std::thread& t : threads) t.join();
    prompt.check();
    EXPECT_EQ(prompt.memory.shared_pages(), 0);
  }
  EXPECT_EQ(pool->bytes(), 0);
}

TEST(PagedMemory, BeyondTheLimitNothingChanges) {
  std::shared_ptr<PagePool> pool;
  if (Status s = PagePool::create(2 * kLayout.lines * kLayout.slices * kLayout.slice_bytes, &pool); !s.ok()) GTEST_SKIP() << s.message();
  std::mt19937_64 random(run_seed());
  Sequence s = sequence_of(pool);
  s.append(20, random);
  int64_t copied = 0;
  EXPECT_EQ(s.memory.make_writable(20, 40, 20, &copied).code(), Code::out_of_memory);
  s.check();
  Sequence fork = s.fork();
  EXPECT_EQ(fork.memory.make_writable(20, 21, 20, &copied).code(), Code::out_of_memory) << "the last page is shared and would be copied";
  fork.check();
  s = Sequence();
  fork.append(1, random);
  fork.check();
}

}  // namespace
}  // namespace anydim
