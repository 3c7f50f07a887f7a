// SPDX-License-Identifier: Apache-2.0
// Who is served when, that nobody waits without end, and what becomes of a place when making a thing fails or a wait is ended.
#include "core/base/threads/fair_pool.h"

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

namespace anydim {
namespace {

using Pool = FairPool<int>;

bool never() { return false; }

auto make = [] { return std::make_unique<int>(7); };

void until(const std::function<bool()>& done) {
  while (!done()) std::this_thread::yield();
}

// A thread that uses a thing of the pool until it is asked to return it.
class User {
 public:
  explicit User(Pool& pool)
      : thread_([this, &pool] {
          pool.use(
              [this](int& thing) {
                had_ = &thing;
                until([this] { return done_.load(); });
              },
              make, never);
        }) {}
  ~User() {
    if (thread_.joinable()) release();
  }
  int* has() {
    until([this] { return had_ != nullptr; });
    return had_;
  }
  void release() {
    done_ = true;
    thread_.join();
  }

 private:
  std::atomic<int*> had_{nullptr};
  std::atomic<bool> done_{false};
  std::thread thread_;
};

TEST(FairPool, makes_things_when_they_are_needed_and_no_more_than_its_limit) {
  Pool pool(2);
  int made = 0;
  const auto counted = [&] { return std::make_unique<int>(made++); };
  int *first = nullptr, *again = nullptr, *second = nullptr;
  pool.use([&](int& thing) { first = &thing; }, counted, never);
  pool.use(
      [&](int& thing) {
        again = &thing;
        EXPECT_EQ(pool.in_use(), 1);
        pool.use(
            [&](int& other) {
              second = &other;
              EXPECT_EQ(pool.in_use(), 2);
            },
            counted, never);
        EXPECT_EQ(pool.in_use(), 1);
      },
      counted, never);
  EXPECT_EQ(again, first);
  EXPECT_NE(second, first);
  EXPECT_EQ(made, 2);
  EXPECT_EQ(pool.size(), 2);
  EXPECT_EQ(pool.in_use(), 0);
  pool.use([&](int& thing) { EXPECT_EQ(&thing, first) << "the one that came back last"; }, counted, never);
  int sum = 0;
  pool.for_each([&](const int& thing) { sum += thing + 1; });
  EXPECT_EQ(sum, 3);
}

TEST(FairPool, serves_in_the_order_of_asking) {
  constexpr int kThreads = 6;
  Pool pool(1);
  std::vector<int> order;  // written by whoever has the thing
  std::vector<std::thread> threads;
  {
    User user(pool);
    user.has();
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] { pool.use([&](int&) { order.push_back(i); }, make, never); });
      until([&] { return pool.waiting() == i + 1; });
    }
  }
  for (std::thread& t : threads) t.join();
  for (int i = 0; i < kThreads; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
}

TEST(FairPool, serves_the_waiter_even_if_the_one_before_asks_again_at_once) {
  Pool pool(1);
  std::atomic<bool> served{false};
  std::thread waiter;
  pool.use(
      [&](int&) {
        waiter = std::thread([&] { pool.use([&](int&) { served = true; }, make, never); });
        until([&] { return pool.waiting() == 1; });
      },
      make, never);
  pool.use([&](int&) { EXPECT_TRUE(served); }, make, never);
  waiter.join();
}

TEST(FairPool, jobs_of_those_who_wait_follow_each_other_on_one_thread) {
  Pool pool(1);
  std::vector<std::thread::id> ids;
  std::vector<std::thread> threads;
  std::thread::id alone;
  {
    User user(pool);
    user.has();
    for (int i = 0; i < 3; ++i)
      threads.emplace_back([&] { pool.use([&](int&) { ids.push_back(std::this_thread::get_id()); }, make, never); });
    until([&] { return pool.waiting() == 3; });
  }
  for (std::thread& t : threads) t.join();
  ASSERT_EQ(ids.size(), 3U);
  EXPECT_EQ(ids[0], ids[1]);
  EXPECT_EQ(ids[0], ids[2]);
  until([&] { return pool.in_use() == 0; });
  pool.use([&](int&) { alone = std::this_thread::get_id(); }, make, never);
  EXPECT_EQ(alone, std::this_thread::get_id()) << "who need not wait does it himself";
}

TEST(FairPool, loses_no_wake_up_and_starves_no_thread_under_load) {
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
      for (int turn = 0; turn < kTurns; ++turn)
        pool.use(
            [&](int& thing) {
              const int now = ++inside;
              int seen = most.load();
              while (now > seen && !most.compare_exchange_weak(seen, now)) {
              }
              ++thing;  // a race, were it in two hands
              serial.fetch_add(1);
              --inside;
            },
            counted, never);
    });
  for (std::thread& t : threads) t.join();
  EXPECT_LE(made, kThings);
  EXPECT_LE(most, kThings);
  EXPECT_EQ(serial, int64_t{kThreads} * kTurns) << "each job once";
  until([&] { return pool.in_use() == 0; });
  int64_t uses = 0;
  pool.for_each([&](const int& thing) { uses += thing; });
  EXPECT_EQ(uses, int64_t{kThreads} * kTurns);
  EXPECT_EQ(pool.waiting(), 0);
}

TEST(FairPool, passes_the_right_to_make_on_when_making_fails) {
  Pool pool(1);
  std::atomic<bool> fail{false}, begun{false}, failed{false};
  const auto failing = [&]() -> std::unique_ptr<int> {
    begun = true;
    until([&] { return fail.load(); });
    throw std::runtime_error("no");
  };
  const auto nothing = [](int&) {};
  std::thread first([&] { EXPECT_THROW(pool.use(nothing, failing, never), std::runtime_error); });
  until([&] { return begun.load(); });
  std::thread second([&] {
    try {
      pool.use(nothing, failing, never);
    } catch (const std::runtime_error&) {
      failed = true;
    }
  });
  until([&] { return pool.waiting() == 1; });
  int* got = nullptr;
  std::thread third([&] { pool.use([&](int& thing) { got = &thing; }, make, never); });
  until([&] { return pool.waiting() == 2; });
  fail = true;
  for (std::thread* t : {&first, &second, &third}) t->join();
  EXPECT_TRUE(failed) << "the second one had the right, and failed himself";
  ASSERT_NE(got, nullptr) << "the third one made it";
  EXPECT_EQ(*got, 7);
  pool.use([&](int& thing) { EXPECT_EQ(&thing, got) << "one thing, as the limit says"; }, make, never);
}

TEST(FairPool, passes_the_right_to_make_on_when_there_is_nothing_to_make) {
  Pool pool(1);
  EXPECT_EQ(pool.use([](int&) { FAIL(); }, [] { return std::unique_ptr<int>(); }, never), Turn::failed);
  EXPECT_EQ(pool.size(), 0);
  EXPECT_EQ(pool.use([](int& thing) { EXPECT_EQ(thing, 7); }, make, never), Turn::done);
}

timespec in_milliseconds(int64_t milliseconds) {
  timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  at.tv_nsec += milliseconds * 1000000;
  at.tv_sec += at.tv_nsec / 1000000000;
  at.tv_nsec %= 1000000000;
  return at;
}

TEST(FairPool, a_wait_that_times_out_costs_no_thread_its_place) {
  Pool pool(1);
  std::atomic<bool> served{false};
  User user(pool);
  int* const thing = user.has();
  const timespec soon = in_milliseconds(30);
  std::thread without_timeout([&] { EXPECT_EQ(pool.use([&](int&) { served = true; }, make, never), Turn::done); });
  until([&] { return pool.waiting() == 1; });
  EXPECT_EQ(pool.use([](int&) { FAIL(); }, make, never, &soon), Turn::timed_out);
  EXPECT_EQ(pool.waiting(), 1);
  EXPECT_FALSE(served);
  user.release();
  without_timeout.join();
  EXPECT_TRUE(served);
  until([&] { return pool.in_use() == 0; });
  EXPECT_EQ(pool.use([&](int& same) { EXPECT_EQ(&same, thing); }, make, never, &soon), Turn::done) << "who need not wait is never late";
}

TEST(FairPool, a_time_that_comes_when_the_job_has_begun_waits_for_its_end) {
  Pool pool(1);
  std::atomic<bool> begun{false};
  User user(pool);
  user.has();
  const timespec soon = in_milliseconds(200);
  std::thread caller([&] {
    bool ended = false;
    const Turn turn = pool.use(
        [&](int&) {
          begun = true;
          std::this_thread::sleep_for(std::chrono::milliseconds(300));
          ended = true;
        },
        make, never, &soon);
    EXPECT_EQ(turn == Turn::done, ended) << "late only if it never began";
  });
  until([&] { return pool.waiting() == 1; });
  user.release();
  caller.join();
  EXPECT_TRUE(begun);
}

void on_signal(int) {}

// Signals end waits while it lives: the handler is without SA_RESTART, as Python installs its own.
struct Signals {
  Signals() {
    struct sigaction action = {};
    action.sa_handler = on_signal;
    EXPECT_EQ(sigaction(SIGUSR1, &action, &old), 0);
  }
  ~Signals() { sigaction(SIGUSR1, &old, nullptr); }
  struct sigaction old = {};
};

TEST(FairPool, a_wait_that_a_signal_ended_costs_no_other_thread_anything) {
  const Signals signals;
  Pool pool(1);
  std::atomic<int> checks{0};
  std::atomic<bool> give_up{false}, gave_up{false}, served{false}, did{false};
  User user(pool);
  int* const thing = user.has();
  std::thread impatient([&] {
    gave_up = Turn::interrupted == pool.use([&](int&) { did = true; }, make,
                                            [&] {
                                              ++checks;
                                              return give_up.load();
                                            });
  });
  until([&] { return pool.waiting() == 1; });
  std::thread without_timeout([&] { pool.use([&](int&) { served = true; }, make, never); });
  until([&] { return pool.waiting() == 2; });
  // A signal that ends nothing: he waits on. One may come before he sleeps, so they are sent until one is seen.
  until([&] {
    pthread_kill(impatient.native_handle(), SIGUSR1);
    return checks.load() > 0;
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
  user.release();
  without_timeout.join();
  EXPECT_TRUE(served);
  EXPECT_FALSE(did);
  until([&] { return pool.in_use() == 0; });
  pool.use([&](int& same) { EXPECT_EQ(&same, thing); }, make, never);
}

TEST(FairPool, a_signal_that_comes_when_the_job_has_begun_waits_for_its_end) {
  const Signals signals;
  Pool pool(1);
  std::atomic<bool> begun{false}, checked{false}, finish{false}, ended{false}, whole{false};
  User user(pool);
  user.has();
  std::thread caller([&] {
    whole = Turn::done == pool.use(
                              [&](int&) {
                                begun = true;
                                until([&] { return finish.load(); });
                                ended = true;
                              },
                              make, [&] { return checked = true; });
    EXPECT_TRUE(ended) << "the job uses the caller's memory";
  });
  until([&] { return pool.waiting() == 1; });
  user.release();
  until([&] { return begun.load(); });
  until([&] {
    pthread_kill(caller.native_handle(), SIGUSR1);
    return checked.load();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  finish = true;
  caller.join();
  EXPECT_FALSE(whole);
  pool.use([](int& thing) { EXPECT_EQ(thing, 7); }, make, never);
}

}  // namespace
}  // namespace anydim
