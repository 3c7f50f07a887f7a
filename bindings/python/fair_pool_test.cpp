// SPDX-License-Identifier: Apache-2.0
// Who is served when, that nobody waits for ever, and what becomes of a place when making a thing fails or a wait is ended.
#include "bindings/python/fair_pool.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace anydim_python {
namespace {

using Pool = FairPool<int>;

bool never() { return false; }

auto make = [] { return std::make_unique<int>(7); };

void until(const std::function<bool()>& done) {
  while (!done()) std::this_thread::yield();
}

TEST(FairPool, makes_things_when_they_are_needed_and_no_more_than_its_limit) {
  Pool pool(2);
  int made = 0;
  const auto counted = [&] { return std::make_unique<int>(made++); };
  EXPECT_EQ(pool.try_take(), nullptr);
  int* first = pool.take(counted, never);
  pool.give_back(first);
  EXPECT_EQ(pool.take(counted, never), first);
  int* second = pool.take(counted, never);
  EXPECT_NE(first, second);
  EXPECT_EQ(made, 2);
  EXPECT_EQ(pool.in_use(), 2);
  pool.give_back(second);
  EXPECT_EQ(pool.in_use(), 1);
  EXPECT_EQ(pool.size(), 2);
  pool.give_back(first);
  EXPECT_EQ(pool.try_take(), first) << "the one that came back last";
  int sum = 0;
  pool.for_each([&](const int& thing) { sum += thing + 1; });
  EXPECT_EQ(sum, 3) << "used ones, too";
}

TEST(FairPool, serves_in_the_order_of_asking) {
  constexpr int kThreads = 6;
  Pool pool(1);
  int* thing = pool.take(make, never);
  std::vector<int> order;  // written by whoever has the thing
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      int* mine = pool.take(make, never);
      order.push_back(i);
      pool.give_back(mine);
    });
    until([&] { return pool.waiting() == i + 1; });
  }
  pool.give_back(thing);
  EXPECT_EQ(pool.try_take() != nullptr && pool.waiting() > 0, false) << "nobody takes what somebody waits for";
  for (std::thread& t : threads) t.join();
  for (int i = 0; i < kThreads; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
}

TEST(FairPool, gives_what_comes_back_to_the_waiter_even_if_the_giver_asks_again_at_once) {
  Pool pool(1);
  int* thing = pool.take(make, never);
  std::atomic<bool> served{false};
  std::thread waiter([&] {
    int* mine = pool.take(make, never);
    served = true;
    pool.give_back(mine);
  });
  until([&] { return pool.waiting() == 1; });
  pool.give_back(thing);
  thing = pool.take(make, never);
  EXPECT_TRUE(served);
  pool.give_back(thing);
  waiter.join();
}

TEST(FairPool, loses_no_wake_up_and_starves_nobody_under_many_threads) {
  constexpr int kThreads = 16, kTurns = 4000, kThings = 3;
  Pool pool(kThings);
  std::atomic<int> made{0}, inside{0}, most{0};
  std::atomic<int64_t> serial{0};
  const auto counted = [&] {
    ++made;
    return std::make_unique<int>(0);
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      for (int turn = 0; turn < kTurns; ++turn) {
        int* thing = pool.take(counted, never);
        const int now = ++inside;
        int seen = most.load();
        while (now > seen && !most.compare_exchange_weak(seen, now)) {
        }
        ++*thing;  // a race, were it in two hands
        serial.fetch_add(1);
        --inside;
        pool.give_back(thing);
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_LE(made, kThings);
  EXPECT_LE(most, kThings);
  int64_t uses = 0;
  pool.for_each([&](const int& thing) { uses += thing; });
  EXPECT_EQ(uses, int64_t{kThreads} * kTurns);
  EXPECT_EQ(pool.waiting(), 0);
}

TEST(FairPool, passes_the_right_to_make_on_when_making_fails) {
  Pool pool(1);
  std::atomic<bool> fail{false}, failed{false};
  const auto failing = [&]() -> std::unique_ptr<int> {
    until([&] { return fail.load(); });
    throw std::runtime_error("no");
  };
  std::thread first([&] { EXPECT_THROW(pool.take(failing, never), std::runtime_error); });
  std::thread second, third;
  until([&] { return pool.waiting() == 0 && pool.try_take() == nullptr; });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the first one is making by now
  second = std::thread([&] {
    try {
      pool.give_back(pool.take(failing, never));
    } catch (const std::runtime_error&) {
      failed = true;
    }
  });
  until([&] { return pool.waiting() == 1; });
  int* got = nullptr;
  third = std::thread([&] { got = pool.take(make, never); });
  until([&] { return pool.waiting() == 2; });
  fail = true;
  for (std::thread* t : {&first, &second, &third}) t->join();
  EXPECT_TRUE(failed) << "the second one had the right, and failed himself";
  ASSERT_NE(got, nullptr) << "the third one made it";
  EXPECT_EQ(*got, 7);
  pool.give_back(got);
  EXPECT_EQ(pool.take(make, never), got) << "one thing, as the limit says";
}

void on_signal(int) {}

TEST(FairPool, a_wait_that_a_signal_ended_costs_nobody_anything) {
  struct sigaction action = {}, old = {};
  action.sa_handler = on_signal;  // without SA_RESTART, as Python installs its own
  ASSERT_EQ(sigaction(SIGUSR1, &action, &old), 0);
  Pool pool(1);
  int* thing = pool.take(make, never);
  std::atomic<int> asked{0};
  std::atomic<bool> give_up{false}, gave_up{false}, served{false};
  std::thread impatient([&] {
    gave_up = pool.take(make, [&] {
      ++asked;
      return give_up.load();
    }) == nullptr;
  });
  until([&] { return pool.waiting() == 1; });
  std::thread patient([&] {
    int* mine = pool.take(make, never);
    served = true;
    pool.give_back(mine);
  });
  until([&] { return pool.waiting() == 2; });
  // A signal that ends nothing: he waits on. One may come before he sleeps, so they are sent until one is seen.
  until([&] {
    pthread_kill(impatient.native_handle(), SIGUSR1);
    return asked.load() > 0;
  });
  EXPECT_EQ(pool.waiting(), 2);
  give_up = true;
  until([&] {
    if (!gave_up) pthread_kill(impatient.native_handle(), SIGUSR1);
    return gave_up.load();
  });
  impatient.join();
  EXPECT_EQ(pool.waiting(), 1);
  EXPECT_FALSE(served);
  pool.give_back(thing);
  patient.join();
  EXPECT_TRUE(served);
  EXPECT_EQ(pool.try_take(), thing);
  sigaction(SIGUSR1, &old, nullptr);
}

TEST(FairPool, a_thing_that_came_as_the_wait_ended_goes_to_the_next) {
  struct sigaction action = {}, old = {};
  action.sa_handler = on_signal;
  ASSERT_EQ(sigaction(SIGUSR1, &action, &old), 0);
  Pool pool(1);
  int* thing = pool.take(make, never);
  std::atomic<bool> done{false};
  std::thread impatient([&] {
    EXPECT_EQ(pool.take(make,
                        [&] {
                          pool.give_back(thing);  // to himself, while he is leaving
                          return true;
                        }),
              nullptr);
    done = true;
  });
  until([&] { return pool.waiting() == 1; });
  std::atomic<int*> got{nullptr};
  std::thread next([&] { got = pool.take(make, never); });
  until([&] { return pool.waiting() == 2; });
  until([&] {
    if (!done) pthread_kill(impatient.native_handle(), SIGUSR1);
    return done.load();
  });
  impatient.join();
  next.join();
  EXPECT_EQ(got, thing);
  sigaction(SIGUSR1, &old, nullptr);
}

}  // namespace
}  // namespace anydim_python
