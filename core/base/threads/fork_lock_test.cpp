// SPDX-License-Identifier: Apache-2.0
// What a forked child finds behind locks that the parent's threads took all the time: each free, what they guard whole, or the word
// that it is not.
#include "core/base/threads/fork_lock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "core/base/threads/fair_pool.h"

namespace anydim {
namespace {

// What `child` gives in a process of its own; -1: that process did not end by itself.
int exit_code_of(const std::function<int()>& child) {
  const pid_t process = fork();
  if (process == 0) {
    alarm(60);
    _exit(child());
  }
  int status = 0;
  return waitpid(process, &status, 0) == process && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void wait_until(const std::function<bool()>& done) {
  while (!done()) std::this_thread::yield();
}

TEST(ForkLock, is_free_in_a_child_and_what_it_guards_is_whole) {
  struct Pair {
    ForkLock lock;
    int64_t a = 0, b = 0;
  };
  std::vector<Pair> pairs(20);
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (size_t i = t; !stop; i = (i + 7) % pairs.size()) {
        const std::lock_guard first(pairs[i].lock);
        ++pairs[i].a;
        if (i + 1 < pairs.size()) {  // one within another
          const std::lock_guard second(pairs[i + 1].lock);
          ++pairs[i + 1].a;
          ++pairs[i + 1].b;
        }
        ++pairs[i].b;
      }
    });
  const uint32_t before = forks_so_far();
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(exit_code_of([&] {
                if (forks_so_far() != before + 1) return 2;
                for (Pair& p : pairs) {
                  const std::lock_guard lock(p.lock);
                  if (p.a != p.b) return 1;
                }
                return exit_code_of([&] { return forks_so_far() == before + 2 ? 0 : 3; });
              }),
              0);
  EXPECT_EQ(forks_so_far(), before);
  stop = true;
  for (std::thread& t : threads) t.join();
}

TEST(LongForkLock, that_another_thread_held_says_so_in_the_child) {
  LongForkLock lock;
  std::atomic<int> step{0};
  std::thread holder([&] {
    EXPECT_TRUE(lock.lock());
    step = 1;
    wait_until([&] { return step == 2; });
    lock.unlock();
  });
  wait_until([&] { return step == 1; });
  EXPECT_EQ(exit_code_of([&] { return lock.lock() ? 1 : 0; }), 0);
  step = 2;
  holder.join();
  ASSERT_TRUE(lock.lock());
  lock.unlock();
  EXPECT_EQ(exit_code_of([&] { return lock.lock() ? 0 : 1; }), 0);
}

bool not_interrupted() { return false; }
auto make_seven = [] { return std::make_unique<int>(7); };

TEST(FairPool, in_a_child_creates_again_what_was_in_use) {
  auto pool = std::make_unique<FairPool<int>>(2);
  std::atomic<int> inside{0};
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  const auto stay = [&](int&) {
    ++inside;
    wait_until([&] { return stop.load(); });
  };
  threads.emplace_back([&] { pool->use(stay, make_seven, not_interrupted); });
  wait_until([&] { return inside == 1; });
  const auto child = [&] {
    int wrong = 0;
    if (pool->in_use() != 0 || pool->waiting() != 0 || pool->size() != 0) wrong |= 1;
    int uses = 0;
    const auto count = [&](int&) { ++uses; };
#if !defined(__SANITIZE_THREAD__)  // which does not support threads of a child of several
    std::vector<std::thread> others;
    for (int i = 0; i < 3; ++i)
      others.emplace_back([&] {
        for (int j = 0; j < 50; ++j) pool->use([](int&) {}, make_seven, not_interrupted);
      });
    for (std::thread& t : others) t.join();
#endif
    if (pool->use(count, make_seven, not_interrupted) != Turn::done || uses != 1) wrong |= 2;
    if (pool->size() > 2) wrong |= 4;
    pool.reset();  // waits for no thread that is not there
    return wrong;
  };
  EXPECT_EQ(exit_code_of(child), 0);
  threads.emplace_back([&] { pool->use(stay, make_seven, not_interrupted); });
  wait_until([&] { return inside == 2; });
  threads.emplace_back([&] { pool->use([](int&) {}, make_seven, not_interrupted); });
  wait_until([&] { return pool->waiting() == 1; });
  EXPECT_EQ(exit_code_of(child), 0);
  stop = true;
  for (std::thread& t : threads) t.join();
}

TEST(FairPool, a_fork_within_a_job_leaves_both_processes_a_pool) {
  FairPool<int> pool(1);
  int code = -1;
  EXPECT_EQ(pool.use(
                [&](int& thing) {
                  thing = 8;
                  const pid_t process = fork();
                  if (process == 0) {
                    alarm(60);
                    return;
                  }
                  int status = 0;
                  if (waitpid(process, &status, 0) == process && WIFEXITED(status)) code = WEXITSTATUS(status);
                },
                make_seven, not_interrupted),
            Turn::done);
  if (code == -1) {  // the child
    int found = 0;
    pool.use([&](int& thing) { found = thing; }, make_seven, not_interrupted);
    _exit(found == 7 && pool.size() == 1 ? 0 : 1);
  }
  EXPECT_EQ(code, 0);
  pool.use([](int& thing) { EXPECT_EQ(thing, 8); }, make_seven, not_interrupted);
}

TEST(FairPool, loses_nothing_when_children_are_forked_under_load) {
  FairPool<int> pool(2);
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      while (!stop) pool.use([](int& thing) { ++thing; }, make_seven, not_interrupted);
    });
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(exit_code_of([&] {
                int uses = 0;
                for (int j = 0; j < 3; ++j) pool.use([&](int&) { ++uses; }, make_seven, not_interrupted);
                return uses == 3 && pool.in_use() == 0 && pool.size() <= 2 ? 0 : 1;
              }),
              0);
  stop = true;
  for (std::thread& t : threads) t.join();
  wait_until([&] { return pool.in_use() == 0; });
}

}  // namespace
}  // namespace anydim
