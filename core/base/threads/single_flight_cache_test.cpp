// SPDX-License-Identifier: Apache-2.0
// What the cache promises: created once, waited for by key alone, bounded, oldest out first, failures not kept.
#include "core/base/threads/single_flight_cache.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <latch>
#include <random>
#include <thread>
#include <vector>

#include "core/base/testing/random.h"

namespace anydim {
namespace {

// Few different hashes, so that shards and buckets are shared by keys that only a full comparison distinguishes.
struct PoorHash {
  static uint64_t of(std::string_view key) noexcept { return (std::hash<std::string_view>{}(key) % 64) << 48; }
};
// All keys in one shard and one bucket.
struct OneHash {
  static uint64_t of(std::string_view) noexcept { return 7; }
};
struct GoodHash {
  static uint64_t of(std::string_view key) noexcept { return std::hash<std::string_view>{}(key); }
};

using Text = std::shared_ptr<const std::string>;
template <class Hash> using Cache = SingleFlightCache<Text, Hash>;

constexpr int64_t kEach = 1000;  // bytes that the tests' values claim

// Asks for a key; the value is the key itself.
template <class Hash> CacheHit request(Cache<Hash>& cache, const std::string& key, int64_t bytes = kEach) {
  Text text;
  CacheHit how = CacheHit::none;
  const Status s = cache.get(
      key,
      [&](Text* value, int64_t* size) {
        *value = std::make_shared<const std::string>(key);
        *size = bytes;
        return Status();
      },
      &text, &how);
  EXPECT_TRUE(s.ok()) << s.message();
  EXPECT_EQ(*text, key);
  return how;
}

// A thread that is creating a key, and stays in the creator until it is released.
class BlockedCreator {
 public:
  template <class Hash>
  BlockedCreator(Cache<Hash>& cache, const std::string& key)
      : thread_([this, &cache, key] {
          Text text;
          CacheHit how = CacheHit::none;
          const Status s = cache.get(
              key,
              [&](Text* value, int64_t*) {
                begun_.count_down();
                hold_.wait();
                *value = std::make_shared<const std::string>(key);
                return Status();
              },
              &text, &how);
          EXPECT_TRUE(s.ok()) << s.message();
        }) {
    begun_.wait();
  }
  // And waits until the key is there.
  void release() {
    hold_.count_down();
    thread_.join();
  }

 private:
  std::latch hold_{1}, begun_{1};
  std::jthread thread_;  // last: it uses the latches
};

// Room for exactly n entries with keys of two characters.
template <class Hash> int64_t room_for(int n) {
  Cache<Hash> cache(1 << 30);
  request(cache, "k0");
  return cache.figures().bytes * n;
}

TEST(SingleFlightCache, CreatesAKeyOnceAndFindsItAfterwards) {
  Cache<GoodHash> cache(1 << 20);
  EXPECT_EQ(request(cache, "a"), CacheHit::miss);
  EXPECT_EQ(request(cache, "a"), CacheHit::hit);
  EXPECT_EQ(request(cache, "b"), CacheHit::miss);
  Text text;
  EXPECT_TRUE(cache.find("a", &text));
  EXPECT_FALSE(cache.find("c", &text));
  const CacheFigures f = cache.figures();
  EXPECT_EQ(f.hits, 2);
  EXPECT_EQ(f.misses, 2);
  EXPECT_EQ(f.entries, 2);
}

TEST(SingleFlightCache, DistinguishesKeysOfOneHash) {
  Cache<OneHash> cache(1 << 20);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(request(cache, std::to_string(i)), CacheHit::miss) << i;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(request(cache, std::to_string(i)), CacheHit::hit) << i;
}

TEST(SingleFlightCache, DropsTheLeastRecentlyUsedFirstAcrossItsShards) {
  Cache<GoodHash> cache(room_for<GoodHash>(4));
  for (const char* k : {"k1", "k2", "k3", "k4"}) request(cache, k);
  request(cache, "k1");
  request(cache, "k5");  // k2 is the oldest now
  Text text;
  EXPECT_FALSE(cache.find("k2", &text));
  request(cache, "k6");  // then k3
  EXPECT_FALSE(cache.find("k3", &text));
  for (const char* k : {"k4", "k1", "k5", "k6"}) EXPECT_TRUE(cache.find(k, &text)) << k;
  EXPECT_EQ(cache.figures().evictions, 2);
}

TEST(SingleFlightCache, IsALeastRecentlyUsedListOverARandomSequence) {
  const auto seed = static_cast<unsigned>(anydim::testing::run_seed());
  std::mt19937 random(seed);
  Cache<PoorHash> cache(room_for<PoorHash>(10));
  std::vector<std::string> model;  // newest last
  for (int i = 0; i < 5000; ++i) {
    const std::string key{'k', static_cast<char>('a' + random() % 20)};
    const auto at = std::find(model.begin(), model.end(), key);
    const bool known = at != model.end();
    if (known) model.erase(at);
    model.push_back(key);
    if (model.size() > 10) model.erase(model.begin());
    ASSERT_EQ(request(cache, key), known ? CacheHit::hit : CacheHit::miss) << i << " " << key;
  }
}

TEST(SingleFlightCache, NeverHoldsMoreThanItsLimit) {
  Cache<GoodHash> cache(50'000);
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    request(cache, std::to_string(random() % 500), static_cast<int64_t>(random() % 4000));
    ASSERT_LE(cache.figures().bytes, 50'000);
  }
  EXPECT_GT(cache.figures().entries, 5);
}

TEST(SingleFlightCache, ReturnsButDoesNotKeepWhatIsLargerThanTheLimit) {
  Cache<GoodHash> cache(room_for<GoodHash>(2));
  request(cache, "k1");
  EXPECT_EQ(request(cache, "big", 1 << 20), CacheHit::miss);
  EXPECT_EQ(request(cache, "big", 1 << 20), CacheHit::miss);
  EXPECT_EQ(request(cache, "k1"), CacheHit::hit);  // nothing was evicted for it
}

TEST(SingleFlightCache, ChargesAValueAgainAndEvictsTheOldestForIt) {
  Cache<GoodHash> cache(room_for<GoodHash>(4));
  for (const char* key : {"k0", "k1", "k2", "k3"}) request(cache, key);
  const int64_t full = cache.figures().bytes;
  cache.recharge("k2", [](const Text&) { return kEach / 2; });
  EXPECT_EQ(cache.figures().bytes, full - kEach / 2);
  cache.recharge("k2", [](const Text& value) { return *value == "k2" ? 2 * kEach : -1; });
  EXPECT_EQ(cache.figures().evictions, 1);
  EXPECT_EQ(request(cache, "k2"), CacheHit::hit);
  cache.recharge("k3", [](const Text&) { return int64_t{-1}; });  // another value than was meant
  cache.recharge("none", [](const Text&) { return int64_t{1} << 40; });
  EXPECT_EQ(cache.figures().entries, 3);
  cache.recharge("k2", [](const Text&) { return int64_t{1} << 40; });  // more than the limit: it goes itself in the end
  EXPECT_EQ(cache.figures().entries, 0);
  EXPECT_EQ(cache.figures().bytes, 0);
}

TEST(SingleFlightCache, HoldsNothingAfterClearNorWithLimitZero) {
  Cache<GoodHash> cache(1 << 20);
  auto value = std::make_shared<const std::string>("v");
  Text text;
  CacheHit how;
  ASSERT_TRUE(cache
                  .get(
                      "v", [&](Text* v, int64_t*) { return *v = value, Status(); }, &text, &how)
                  .ok());
  text.reset();
  EXPECT_EQ(value.use_count(), 2);
  cache.clear();
  EXPECT_EQ(value.use_count(), 1);
  EXPECT_EQ(cache.figures().bytes, 0);
  request(cache, "a");
  cache.set_limit(0);
  EXPECT_EQ(cache.figures().entries, 0);
  EXPECT_EQ(request(cache, "a"), CacheHit::none);
  cache.set_limit(1 << 20);
  EXPECT_EQ(request(cache, "a"), CacheHit::miss);
  EXPECT_EQ(request(cache, "a"), CacheHit::hit);
}

TEST(SingleFlightCache, ShrinksToASmallerLimitAtOnce) {
  const int64_t one = room_for<GoodHash>(1);
  Cache<GoodHash> cache(8 * one);
  for (int i = 0; i < 8; ++i) request(cache, "k" + std::to_string(i));
  cache.set_limit(3 * one);
  EXPECT_EQ(cache.figures().entries, 3);
  Text text;
  for (const char* k : {"k5", "k6", "k7"}) EXPECT_TRUE(cache.find(k, &text)) << k;
}

TEST(SingleFlightCache, DoesNotKeepAFailureNorACreatorThatThrows) {
  Cache<GoodHash> cache(1 << 20);
  Text text;
  CacheHit how;
  const Status refused = cache.get(
      "a", [](Text*, int64_t*) { return invalid("no {}", 7); }, &text, &how);
  EXPECT_EQ(refused.code(), Code::invalid_argument);
  EXPECT_EQ(refused.message(), "no 7");
  const Status empty = cache.get(
      "a", [](Text*, int64_t*) -> Status { throw std::bad_alloc(); }, &text, &how);
  EXPECT_EQ(empty.code(), Code::out_of_memory);
  EXPECT_EQ(text, nullptr);
  EXPECT_EQ(cache.figures().failures, 2);
  EXPECT_EQ(cache.figures().entries, 0);
  EXPECT_EQ(request(cache, "a"), CacheHit::miss);
}

TEST(SingleFlightCache, GivesOneFailureToAllWhoWaited) {
  Cache<GoodHash> cache(1 << 20);
  std::latch requests(1);
  std::atomic<int> created{0}, failed{0};
  const auto get = [&] {
    Text text;
    CacheHit how;
    const Status s = cache.get(
        "a",
        [&](Text*, int64_t*) {
          ++created;
          requests.wait();
          return invalid("no such thing");
        },
        &text, &how);
    if (s.code() == Code::invalid_argument && s.message() == "no such thing") ++failed;
  };
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(get);
  while (created == 0) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // most others wait by now; all fail whenever they come
  requests.count_down();
  threads.clear();
  EXPECT_EQ(failed, 4);
}

// Acceptance 5 of issue 4. Each thread asks for keys of a large set in an order of its own, so that many ask for the
// same key at the same time.
TEST(SingleFlightCache, CreatesEachOfTenThousandKeysOnceUnderEightThreads) {
  constexpr int kKeys = 10'000, kThreads = 8;
  Cache<PoorHash> cache(int64_t{1} << 30);
  std::vector<std::atomic<int>> created(kKeys);
  std::atomic<int> wrong{0};
  const auto work = [&](unsigned seed) {
    std::mt19937 random(seed);
    std::vector<int> order(kKeys);
    for (int i = 0; i < kKeys; ++i) order[static_cast<size_t>(i)] = i;
    // Blocks of 100 in the same order for all, shuffled inside: threads meet.
    for (auto at = order.begin(); at != order.end(); at += 100) std::shuffle(at, at + 100, random);
    for (const int k : order) {
      const std::string key = std::to_string(k);
      Text text;
      CacheHit how;
      const Status s = cache.get(
          key,
          [&](Text* value, int64_t* size) {
            created[static_cast<size_t>(k)].fetch_add(1);
            *value = std::make_shared<const std::string>(key);
            *size = kEach;
            return Status();
          },
          &text, &how);
      if (!s.ok() || *text != key) ++wrong;
    }
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < kThreads; ++t) threads.emplace_back(work, t);
  }
  EXPECT_EQ(wrong, 0);
  for (int k = 0; k < kKeys; ++k) ASSERT_EQ(created[static_cast<size_t>(k)], 1) << k;
  const CacheFigures f = cache.figures();
  EXPECT_EQ(f.misses, kKeys);
  EXPECT_EQ(f.hits + f.waited + f.misses, int64_t{kKeys} * kThreads);
}

TEST(SingleFlightCache, LetsOthersCreateWhileOneCreatorIsHeldThoseOfItsShardIncluded) {
  Cache<OneHash> cache(1 << 24);  // one shard, one bucket
  CacheHit waiter = CacheHit::none;
  BlockedCreator blocked(cache, "held");
  std::jthread also([&] { waiter = request(cache, "held"); });
  {
    std::vector<std::jthread> others;
    for (int t = 0; t < 7; ++t)
      others.emplace_back([&, t] {
        for (int i = 0; i < 200; ++i) request(cache, std::to_string(t * 200 + i));
      });
  }  // all seven have ended, and the creator is still held
  EXPECT_EQ(cache.figures().entries, 1400);
  blocked.release();
  also.join();
  EXPECT_TRUE(waiter == CacheHit::waited || waiter == CacheHit::hit);
}

TEST(SingleFlightCache, NeverEvictsWhatIsBeingCreatedAndKeepsItWhenItIsDone) {
  Cache<GoodHash> cache(room_for<GoodHash>(2));
  Text text;
  CacheHit how;
  ASSERT_TRUE(cache
                  .get(
                      "slow",
                      [&](Text* value, int64_t* size) {
                        for (int i = 0; i < 50; ++i) request(cache, "k" + std::to_string(i));
                        *value = std::make_shared<const std::string>("slow");
                        *size = 100;
                        return Status();
                      },
                      &text, &how)
                  .ok());
  EXPECT_TRUE(cache.find("slow", &text));
}

TEST(SingleFlightCache, DoesNotKeepWhatWasBeingCreatedWhenItWasCleared) {
  Cache<GoodHash> cache(1 << 20);
  Text text;
  CacheHit how;
  ASSERT_TRUE(cache
                  .get(
                      "a",
                      [&](Text* value, int64_t*) {
                        cache.clear();
                        *value = std::make_shared<const std::string>("a");
                        return Status();
                      },
                      &text, &how)
                  .ok());
  EXPECT_EQ(*text, "a");
  EXPECT_FALSE(cache.find("a", &text));
  EXPECT_EQ(cache.figures().bytes, 0);
}

// Two creators, each of which asks for the other's key: neither may wait for the other.
TEST(SingleFlightCache, DoesNotDeadlockWhenCreatorsNeedEachOthersKeys) {
  for (int round = 0; round < 50; ++round) {
    Cache<GoodHash> cache(1 << 20);
    std::latch both(2);
    const auto get = [&](const std::string& outer, const std::string& inner) {
      Text text;
      CacheHit how;
      EXPECT_TRUE(cache
                      .get(
                          outer,
                          [&](Text* value, int64_t*) {
                            both.arrive_and_wait();
                            request(cache, inner);
                            request(cache, outer);  // even its own
                            *value = std::make_shared<const std::string>(outer);
                            return Status();
                          },
                          &text, &how)
                      .ok());
    };
    std::jthread a([&] { get("a", "b"); }), b([&] { get("b", "a"); });
  }
}

TEST(SingleFlightCache, StaysWithinItsLimitWhileItIsClearedAndResizedUnderThreads) {
  Cache<PoorHash> cache(20'000);
  std::atomic<bool> stop{false};
  {
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        std::mt19937 random(t);
        while (!stop) request(cache, std::to_string(random() % 300), static_cast<int64_t>(random() % 3000));
      });
    for (int i = 0; i < 200; ++i) {
      cache.set_limit(i % 3 == 0 ? 5'000 : i % 3 == 1 ? 0 : 20'000);
      if (i % 7 == 0) cache.clear();
      std::this_thread::yield();
    }
    stop = true;
  }
  cache.set_limit(5'000);
  EXPECT_LE(cache.figures().bytes, 5'000);
  cache.clear();
  EXPECT_EQ(cache.figures().bytes, 0);
  EXPECT_EQ(cache.figures().entries, 0);
}

// A fork in the middle of creations: the child has an empty cache in which every key can be asked for.
TEST(SingleFlightCache, IsEmptyAndWorksInAForkedChild) {
  Cache<GoodHash> cache(1 << 20);
  request(cache, "a");
  BlockedCreator blocked(cache, "held");
  std::jthread waits([&] { request(cache, "held"); });
  cache.before_fork();
  const pid_t child = fork();
  if (child == 0) {
    cache.after_fork_in_child();
    alarm(20);
    Text text;
    bool good = cache.figures().entries == 0 && !cache.find("a", &text);
    good = good && request(cache, "held") == CacheHit::miss && request(cache, "held") == CacheHit::hit;
    good = good && request(cache, "a") == CacheHit::miss;
    _exit(good ? 0 : 1);
  }
  cache.after_fork_in_parent();
  blocked.release();
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  waits.join();
  EXPECT_EQ(request(cache, "a"), CacheHit::hit);
}

}  // namespace
}  // namespace anydim
