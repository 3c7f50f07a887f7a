// SPDX-License-Identifier: Apache-2.0
// The way in which a crowd is split into batches, against played machines: the fastest way is found, changes are followed, trials are
// rare, and one caller alone causes none.
#include "core/run/batching/batch_split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

namespace anydim {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

using Split = std::pair<int, int64_t>;  // batches at the same time, requests in each

// ns from one end of a batch to the next, with so many batches at the same time of so many requests each.
using Cost = std::function<double(int batches, int64_t requests)>;

// Callers that come again as soon as they are served, from `now` on. How much time passed in which split.
std::map<Split, int64_t> play(BatchSplit& split, int64_t callers, const Cost& cost, int64_t seconds, int64_t* now) {
  std::map<Split, int64_t> spent;
  const int64_t until = *now + seconds * kSecond;
  while (*now < until) {
    const int64_t wanted = split.requests_each(callers);
    const int64_t each = wanted == 0 ? callers : std::min(wanted, callers);
    const int batches = static_cast<int>(std::min<int64_t>(split.batches(), (callers + each - 1) / each));
    const auto step = std::max<int64_t>(static_cast<int64_t>(cost(batches, each)), 1);
    *now += step;
    spent[{batches, each}] += step;
    split.ended(each, each, callers, *now);
  }
  return spent;
}

double share(const std::map<Split, int64_t>& spent, Split of) {
  double all = 0;
  for (const auto& [split, time] : spent) all += static_cast<double>(time);
  const auto found = spent.find(of);
  return found == spent.end() ? 0 : static_cast<double>(found->second) / all;
}

// A row takes so many ms on one core. A batch costs `fixed` rows more (its weights are read), and loses `loss` of its time where `cores`
// work on one batch.
Cost machine(int cores, double row_ms, double fixed, double loss) {
  return [=](int batches, int64_t requests) {
    const double rows = fixed + static_cast<double>(requests);
    const double cores_each = static_cast<double>(cores) / batches;
    return row_ms * 1e6 * rows / cores_each / (cores_each > 1 ? 1 - loss : 1) / batches;
  };
}

TEST(BatchSplit, CoresThatWaitForOneAnotherGetBatchesOfTheirOwn) {
  BatchSplit split(2, 0);
  int64_t now = 0;
  play(split, 8, machine(2, 0.5, 0.2, 0.15), 2, &now);
  EXPECT_GT(share(play(split, 8, machine(2, 0.5, 0.2, 0.15), 60, &now), {2, 4}), 0.98);
}

TEST(BatchSplit, WeightsThatCostMoreThanRowsAreReadOnce) {
  BatchSplit split(4);
  int64_t now = 0;
  play(split, 8, machine(4, 0.01, 10, 0.05), 2, &now);
  EXPECT_GT(share(play(split, 8, machine(4, 0.01, 10, 0.05), 60, &now), {1, 8}), 0.98);
}

TEST(BatchSplit, RowsThatFitNoCacheTogetherRunByThemselves) {
  const Cost cost = [](int batches, int64_t requests) {
    return 5e6 * static_cast<double>(requests) * (requests > 1 ? 1.3 : 1) / (batches > 1 ? 1 : 0.9 * 2) / batches;
  };
  BatchSplit split(2);
  int64_t now = 0;
  play(split, 8, cost, 5, &now);
  EXPECT_GT(share(play(split, 8, cost, 60, &now), {2, 1}), 0.98);
}

TEST(BatchSplit, AChangeOfTheCrowdIsFollowed) {
  const Cost cost = [](int batches, int64_t requests) {  // up to 8 rows together are best
    return requests > 8 ? 2e6 * static_cast<double>(requests) / batches : 1e6 * static_cast<double>(4 + requests) / (batches > 1 ? 1.2 : 1);
  };
  BatchSplit split(2);
  int64_t now = 0;
  play(split, 8, cost, 120, &now);
  EXPECT_GT(share(play(split, 8, cost, 10, &now), {1, 8}), 0.98);
  play(split, 16, cost, 2, &now);
  EXPECT_GT(share(play(split, 16, cost, 10, &now), {2, 8}), 0.95);
}

TEST(BatchSplit, AHundredthOfTheTimeGoesToTrials) {
  BatchSplit split(16);
  int64_t now = 0;
  const Cost cost = machine(16, 1, 0, 0);  // all ways are equal
  play(split, 32, cost, 60, &now);
  const auto spent = play(split, 32, cost, 200, &now);
  EXPECT_GT(share(spent, {16, 1}), 0.985);
  EXPECT_LT(share(spent, {16, 1}), 1);
}

TEST(BatchSplit, OneCallerAloneCausesNoTrial) {
  BatchSplit split(2, 0);
  int64_t now = 0;
  for (int i = 0; i < 100'000; ++i) {
    split.resumed(now);
    EXPECT_EQ(split.batches(), 1);
    now += 1'000'000;
    split.ended(1, 1, 1, now);
    split.idle(now);
    now += 5'000'000;
  }
}

TEST(BatchSplit, TimeWithoutRequestsIsNotCounted) {
  // Crowds of 8 that come every 10 ms. With one batch all are served after 2 ms, else after 4: pauses must not hide it.
  BatchSplit split(2);
  int64_t now = 0, slow = 0, all = 0;
  for (int i = 0; i < 20'000; ++i) {
    const int64_t begun = now;
    split.resumed(now);
    int64_t inside = 8;
    const bool one = split.requests_each(8) == 0;
    while (inside > 0) {
      const int64_t wanted = split.requests_each(8);
      const int64_t each = wanted == 0 ? inside : std::min(wanted, inside);
      now += (wanted == 0 ? 2'000'000 : 4'000'000) * each / 8;
      split.ended(each, each, inside, now);
      inside -= each;
    }
    split.idle(now);
    if (i > 1000) slow += one ? 0 : 1, ++all;
    now = begun + 10'000'000;
  }
  EXPECT_LT(static_cast<double>(slow) / static_cast<double>(all), 0.03);
}

TEST(BatchSplit, WaysOfEveryNumberOfContexts) {
  for (int contexts = 1; contexts < 20; ++contexts) {
    const BatchSplit most(contexts);
    EXPECT_EQ(most.batches(), contexts);
    const BatchSplit one(contexts, 0);
    EXPECT_EQ(one.batches(), 1);
    EXPECT_EQ(one.requests_each(7), 0);
    const BatchSplit apart(contexts, most.way() + 1);
    EXPECT_EQ(apart.batches(), contexts);
    EXPECT_EQ(apart.requests_each(100), 1);
    const BatchSplit unknown(contexts, 1000);
    EXPECT_EQ(unknown.way(), most.way());
  }
}

}  // namespace
}  // namespace anydim
