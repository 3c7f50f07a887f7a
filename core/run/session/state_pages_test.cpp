// SPDX-License-Identifier: Apache-2.0
// States in pages: the bits of states whose memory lies in one piece, growing and forking without copies, one limit for all forks.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "core/graph/testing/decoder.h"

namespace anydim {
namespace {

using namespace testing;

constexpr int64_t kPage = 128;  // slices: 32 bytes of a head's token, 4096 of a page of the processor

std::unique_ptr<State> in_pages(const Decoder& decoder, int64_t limit, int64_t page = 1, int64_t most = 0) {
  auto state = decoder.state(limit);
  const Status s = state->use_pages(page, most);
  EXPECT_TRUE(s.ok()) << s.message();
  return state;
}

void expect_equal_parts(State& a, State& b) {
  for (int32_t part = 0; part < 4; ++part) {
    TensorView x, y;
    ASSERT_TRUE(a.read(part, &x).ok());
    ASSERT_TRUE(b.read(part, &y).ok());
    ASSERT_EQ(x.dims, y.dims);
    for (int64_t i = 0; i < x.dims[0]; ++i)
      for (int64_t h = 0; h < x.dims[1]; ++h)
        ASSERT_EQ(0, std::memcmp(x.as<float>() + i * x.strides[0] + h * x.strides[1], y.as<float>() + i * y.strides[0] + h * y.strides[1],
                                 static_cast<size_t>(x.dims[2]) * 32))
            << "part " << part;
  }
}

// Some sequences that step, fork, are cut back and begin again, in pages and beside each in one piece.
void draw_sequences(const Decoder& decoder, uint64_t seed) {
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  constexpr int64_t kCount = 600;
  const int64_t batch = 1 + below(2), limit = below(2) * 700;
  const std::vector<float> all = tokens(batch, kCount, seed);
  struct Pair {
    std::unique_ptr<State> pages, plain;
  };
  std::vector<Pair> pairs;
  pairs.push_back({in_pages(decoder, limit, 1 + below(300)), decoder.state(limit)});
  for (int i = 0; i < 60; ++i) {
    Pair& p = pairs[static_cast<size_t>(below(static_cast<int64_t>(pairs.size())))];
    const int64_t length = p.plain->figures().length, what = below(12);
    if (what == 0 && pairs.size() < 5) {
      Pair fork;
      ASSERT_TRUE(p.pages->fork(&fork.pages).ok());
      ASSERT_TRUE(p.plain->fork(&fork.plain).ok());
      pairs.push_back(std::move(fork));
    } else if (what == 1 && length > 0) {
      const int64_t to = below(length + 1);
      ASSERT_TRUE(p.pages->truncate(to).ok());
      ASSERT_TRUE(p.plain->truncate(to).ok());
    } else if (what == 2 && below(4) == 0) {
      ASSERT_TRUE(p.pages->reset().ok());
      ASSERT_TRUE(p.plain->reset().ok());
    } else if (what == 3 && pairs.size() > 1) {
      std::swap(p, pairs.back());
      pairs.pop_back();
    } else {
      const int64_t n = 1 + below(below(3) == 0 ? 150 : 20), from = below(kCount - n);
      if (length + n > 650) continue;
      const Stepped x = step(*p.pages, piece(all, batch, kCount, from, from + n)),
                    y = step(*p.plain, piece(all, batch, kCount, from, from + n));
      ASSERT_TRUE(x.status.ok() && y.status.ok()) << x.status.message() << y.status.message();
      ASSERT_TRUE(same(x.y, y.y)) << "step " << i << " of " << n << " behind " << length;
    }
    for (const Pair& each : pairs)
      if (each.plain->figures().length > 0) expect_equal_parts(*each.pages, *each.plain);
    if (::testing::Test::HasFatalFailure()) return;
  }
  const StateFigures f = pairs[0].pages->figures();
  EXPECT_EQ(f.in_place, 4);
  pairs.erase(pairs.begin() + 1, pairs.end());
  EXPECT_EQ(pairs[0].pages->figures().shared_pages, 0);
  EXPECT_EQ(pairs[0].pages->figures().pool_bytes, pairs[0].pages->figures().bytes) << "what others had has gone back";
}

TEST(StatePages, DrawnSequencesHaveTheBitsOfMemoryInOnePiece) {
  for (const int contexts : {1, 2}) {
    const Decoder decoder(decoder_graph(), contexts);
    for (uint64_t seed = 0; seed < 12; ++seed) draw_sequences(decoder, seed + static_cast<uint64_t>(contexts) * 1000);
  }
}

TEST(StatePages, GrowingCopiesNothingEvenBeyondTheRoom) {
  const Decoder decoder;
  const auto state = in_pages(decoder, 0, 100), plain = decoder.state();
  const std::vector<float> all = tokens(1, 4608, 3);
  for (int64_t t = 0; t < 4608; t += 512) {
    const Stepped x = step(*state, piece(all, 1, 4608, t, t + 512)), y = step(*plain, piece(all, 1, 4608, t, t + 512));
    ASSERT_TRUE(x.status.ok()) << x.status.message();
    ASSERT_TRUE(same(x.y, y.y)) << t;
  }
  const StateFigures f = state->figures();
  EXPECT_EQ(f.growths, 4) << "of each part, when 4096 slices were full";
  EXPECT_EQ(f.copied, 0);
  EXPECT_EQ(f.page, kPage) << "100 slices, rounded up";
  EXPECT_EQ(f.pages, 4 * 4608 / kPage);
  EXPECT_EQ(f.bytes, 4 * 2 * 4608 * 32);
}

TEST(StatePages, ForksShareAllPagesAndCopyTheLastOneWhenTheyWrite) {
  const Decoder decoder;
  const std::vector<float> all = tokens(1, 400, 4);
  auto state = in_pages(decoder, 1024);
  ASSERT_TRUE(step(*state, piece(all, 1, 400, 0, 300)).status.ok());
  const int64_t pages = 4 * 3, page_bytes = kPage * 2 * 32;
  EXPECT_EQ(state->figures().pages, pages);
  std::unique_ptr<State> fork;
  ASSERT_TRUE(state->fork(&fork).ok());
  EXPECT_EQ(fork->figures().shared_pages, pages);
  EXPECT_EQ(fork->figures().pool_bytes, pages * page_bytes) << "each page once";
  EXPECT_EQ(fork->figures().copied, 0);

  ASSERT_TRUE(step(*fork, piece(all, 1, 400, 300, 301)).status.ok());
  EXPECT_EQ(fork->figures().copied, 4 * 2 * (300 - 2 * kPage) * 32) << "what the last page of each part holds";
  EXPECT_EQ(fork->figures().shared_pages, 4 * 2);
  EXPECT_EQ(fork->figures().pool_bytes, (pages + 4) * page_bytes);
  ASSERT_TRUE(step(*state, piece(all, 1, 400, 300, 301)).status.ok());
  EXPECT_EQ(state->figures().copied, 0) << "its last pages are its own again";

  state.reset();
  EXPECT_EQ(fork->figures().shared_pages, 0);
  EXPECT_EQ(fork->figures().pool_bytes, pages * page_bytes);
  const auto plain = decoder.state();
  ASSERT_TRUE(step(*plain, piece(all, 1, 400, 0, 301)).status.ok());
  EXPECT_TRUE(same(step(*fork, piece(all, 1, 400, 301, 400)).y, step(*plain, piece(all, 1, 400, 301, 400)).y));
  ASSERT_TRUE(fork->reset().ok());
  EXPECT_EQ(fork->figures().pool_bytes, 0);
}

TEST(StatePages, AllForksHaveOneLimitAndAFailedStepChangesNothing) {
  const Decoder decoder;
  const std::vector<float> all = tokens(1, 400, 5);
  constexpr int64_t kBytes = kPage * 2 * 32;
  const auto state = in_pages(decoder, 0, 1, 8 * kBytes), plain = decoder.state();
  ASSERT_TRUE(step(*state, piece(all, 1, 400, 0, 100)).status.ok());
  ASSERT_TRUE(step(*plain, piece(all, 1, 400, 0, 100)).status.ok());
  std::unique_ptr<State> fork;
  ASSERT_TRUE(state->fork(&fork).ok());
  ASSERT_TRUE(step(*fork, piece(all, 1, 400, 0, 10)).status.ok());
  EXPECT_EQ(state->figures().pool_bytes, 8 * kBytes);
  const Stepped over = step(*state, piece(all, 1, 400, 100, 200));
  EXPECT_EQ(over.status.code(), Code::out_of_memory) << over.status.message();
  EXPECT_NE(over.status.message().find("the limit is 65536"), std::string::npos) << over.status.message();
  EXPECT_EQ(state->figures().length, 100);
  fork.reset();
  EXPECT_TRUE(same(step(*state, piece(all, 1, 400, 100, 200)).y, step(*plain, piece(all, 1, 400, 100, 200)).y));
}

TEST(StatePages, ThreadsStepForksOfOneState) {
  const Decoder decoder(decoder_graph(), 2);
  constexpr int kThreads = 4;
  constexpr int64_t kCount = 200, kPrefix = 150;
  const std::vector<float> prefix = tokens(1, kPrefix, 7);
  const auto root = in_pages(decoder, 0);
  ASSERT_TRUE(step(*root, piece(prefix, 1, kPrefix, 0, kPrefix)).status.ok());
  std::vector<std::unique_ptr<State>> forks(kThreads);
  for (auto& fork : forks) ASSERT_TRUE(root->fork(&fork).ok());
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      const std::vector<float> mine = tokens(1, kCount, 100 + static_cast<uint64_t>(i));
      const auto plain = decoder.state();
      if (!step(*plain, piece(prefix, 1, kPrefix, 0, kPrefix)).status.ok()) ++wrong;
      std::unique_ptr<State> state = std::move(forks[static_cast<size_t>(i)]);
      for (int64_t t = 0; t < kCount; t += 5) {
        const Stepped x = step(*state, piece(mine, 1, kCount, t, t + 5)), y = step(*plain, piece(mine, 1, kCount, t, t + 5));
        if (!x.status.ok() || !same(x.y, y.y)) ++wrong;
        if (t % 50 != 45) continue;
        std::unique_ptr<State> next;
        if (!state->fork(&next).ok()) ++wrong;
        else state = std::move(next);
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(root->figures().shared_pages, 0);
}

TEST(StatePages, WhatWasWrittenLiesInPagesAndAnotherBatchIsTaken) {
  const Decoder decoder;
  const std::vector<float> all = tokens(2, 300, 9);
  const auto plain = decoder.state(), state = in_pages(decoder, 0);
  ASSERT_TRUE(step(*plain, piece(all, 2, 300, 0, 290)).status.ok());
  std::vector<TensorView> parts(4);
  for (int32_t i = 0; i < 4; ++i) ASSERT_TRUE(plain->read(i, &parts[static_cast<size_t>(i)]).ok());
  ASSERT_TRUE(state->write(parts).ok());
  EXPECT_EQ(state->figures().pages, 4 * 3);
  EXPECT_TRUE(same(step(*state, piece(all, 2, 300, 290, 300)).y, step(*plain, piece(all, 2, 300, 290, 300)).y));
  ASSERT_TRUE(state->reset().ok());
  const std::vector<float> one = tokens(1, 20, 1);
  ASSERT_TRUE(step(*state, piece(one, 1, 20, 0, 20)).status.ok());
  EXPECT_EQ(state->figures().bytes, 4 * kPage * 2 * 32);
}

TEST(StatePages, WhatDoesNotFitIsRefused) {
  const Decoder decoder;
  const auto state = decoder.state();
  EXPECT_EQ(state->use_pages(0, 0).code(), Code::invalid_argument);
  EXPECT_EQ(state->use_pages(1, -1).code(), Code::invalid_argument);
  const std::vector<float> all = tokens(1, 2, 1);
  ASSERT_TRUE(step(*state, piece(all, 1, 2, 0, 1)).status.ok());
  EXPECT_EQ(state->use_pages(1, 0).code(), Code::busy);
}

TEST(StatePages, AChildOfAForkHasNoPages) {
  const Decoder decoder;
  const std::vector<float> all = tokens(1, 20, 2);
  const auto state = in_pages(decoder, 0), plain = decoder.state();
  ASSERT_TRUE(step(*state, piece(all, 1, 20, 0, 10)).status.ok());
  ASSERT_TRUE(step(*plain, piece(all, 1, 20, 0, 10)).status.ok());
  const pid_t child = ::fork();
  if (child == 0) {
    TensorView view;
    std::unique_ptr<State> copy;
    ::_exit(state->read(0, &view).code() == Code::closed && state->fork(&copy).code() == Code::closed &&
                    state->reset().code() == Code::closed && plain->read(0, &view).ok()
                ? 0
                : 1);
  }
  int status = 1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(same(step(*state, piece(all, 1, 20, 10, 20)).y, step(*plain, piece(all, 1, 20, 10, 20)).y));
}

}  // namespace
}  // namespace anydim
