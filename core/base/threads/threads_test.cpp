// SPDX-License-Identifier: Apache-2.0
// What the pool promises: each task once, workers distinct, nested and concurrent loops finish, floating-point state.
#include "core/base/threads/threads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <filesystem>
#include <future>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "core/base/threads/own_thread.h"
#include "core/base/testing/emulated.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif
#if defined(__linux__)
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace anydim {
namespace {

TEST(Parallel, runs_every_task_exactly_once) {
  for (int threads : {1, 2, 5}) {
    for (int64_t tasks : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> seen(static_cast<size_t>(tasks));
      Parallel(threads).run(tasks, [&](int64_t i, int worker) {
        EXPECT_GE(worker, 0);
        EXPECT_LT(worker, threads);
        seen[static_cast<size_t>(i)]++;
      });
      for (auto& s : seen) EXPECT_EQ(s.load(), 1);
    }
  }
}

// A sanitizer's own locks do not survive a fork.
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// The cores of all threads of this process but the one that asks, by the thread's number.
std::map<int, cpu_set_t> cores_of_others() {
  std::map<int, cpu_set_t> cores;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    const int thread = std::stoi(entry.path().filename().string());
    cpu_set_t set;
    if (thread != getpid() && sched_getaffinity(thread, sizeof set, &set) == 0) cores[thread] = set;
  }
  return cores;
}

// What `child` returns in a process of its own; -1: that process did not end by itself.
int exit_code_of(const auto& child) {
  const pid_t process = fork();
  if (process == 0) _exit(child());
  int status = 0;
  return waitpid(process, &status, 0) == process && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Parallel, workers_that_are_woken_leave_the_callers_core_and_keep_an_affinity_that_is_set) {
  if (available_cores() < 2) GTEST_SKIP() << "one core";
  if (testing::emulated()) GTEST_SKIP() << "the emulator has threads of its own";
  cpu_set_t mine, all;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  // A process of its own: whether workers are placed is decided once for all.
  const auto child = [&] {
    int core = 0;
    while (!CPU_ISSET(static_cast<size_t>(core), &all)) ++core;
    const auto loop = [] { Parallel(2).run(64, [](int64_t, int) { std::this_thread::sleep_for(std::chrono::microseconds(50)); }); };
    loop();  // the worker starts
    CPU_ZERO(&mine);
    CPU_SET(static_cast<size_t>(core), &mine);
    if (sched_setaffinity(0, sizeof mine, &mine) != 0) return 2;
    for (int i = 0; i < 20; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      loop();
    }
    const auto placed = cores_of_others();
    if (placed.size() != 1 || CPU_ISSET(static_cast<size_t>(core), &placed.begin()->second)) return 3;
    if (sched_setaffinity(placed.begin()->first, sizeof all, &all) != 0) return 4;
    int other = core + 1;
    while (!CPU_ISSET(static_cast<size_t>(other), &all)) ++other;
    CPU_ZERO(&mine);
    CPU_SET(static_cast<size_t>(other), &mine);
    if (sched_setaffinity(0, sizeof mine, &mine) != 0) return 5;
    for (int i = 0; i < 20; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      loop();
    }
    const auto left = cores_of_others();
    return left.size() == 1 && CPU_EQUAL(&left.begin()->second, &all) ? 0 : 6;
  };
  EXPECT_EQ(exit_code_of(child), 0);
}

TEST(Parallel, workers_that_compute_leave_the_core_that_the_caller_is_moved_to) {
  if (available_cores() < 2) GTEST_SKIP() << "one core";
  if (testing::emulated()) GTEST_SKIP() << "the emulator has threads of its own";
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  const auto child = [&] {
    const Parallel parallel(2);
    const Parallel::Hot hot(parallel);  // the worker spins from loop to loop and is never woken
    const auto loops = [&] {
      for (int i = 0; i < 20; ++i) parallel.run(16, [](int64_t, int) { std::this_thread::sleep_for(std::chrono::microseconds(50)); });
    };
    loops();
    for (int core = 0, moves = 0; moves < 4; core = (core + 1) % CPU_SETSIZE) {
      if (!CPU_ISSET(static_cast<size_t>(core), &all)) continue;
      cpu_set_t mine;
      CPU_ZERO(&mine);
      CPU_SET(static_cast<size_t>(core), &mine);
      if (sched_setaffinity(0, sizeof mine, &mine) != 0) return 2;
      loops();
      const auto placed = cores_of_others();
      if (placed.size() != 1 || CPU_ISSET(static_cast<size_t>(core), &placed.begin()->second)) return 3;
      ++moves;
    }
    return 0;
  };
  EXPECT_EQ(exit_code_of(child), 0);
}
#endif

// Two threads that wait for each other in their first tasks: which these are shows where their shares begin.
TEST(Parallel, keeps_a_thread_on_the_same_part_of_the_tasks) {
  const Parallel parallel(2);
  parallel.prepare();
  const Parallel::Hot hot(parallel);
  const auto caller = std::this_thread::get_id();
  int met = 0;
  for (int loop = 0; loop < 2000 && met < 50; ++loop) {
    std::atomic<int> here{0};
    std::atomic<int64_t> first_of_caller{-1}, first_of_other{-1};
    parallel.run(8, [&](int64_t task, int) {
      std::atomic<int64_t>& first = std::this_thread::get_id() == caller ? first_of_caller : first_of_other;
      if (first != -1) return;
      first = task;
      ++here;
      const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(2);
      while (here < 2 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    });
    if (here < 2) continue;  // the worker slept
    ++met;
    EXPECT_EQ(first_of_caller, 0);
    EXPECT_EQ(first_of_other, 4);
  }
  EXPECT_GT(met, 0);
}

TEST(Parallel, runs_millions_of_tasks_each_once) {
  const Parallel parallel(3);
  std::vector<std::atomic<uint8_t>> done((size_t{1} << 21) + 5);
  parallel.run(static_cast<int64_t>(done.size()), [&](int64_t task, int) { ++done[static_cast<size_t>(task)]; });
  for (size_t i = 0; i < done.size(); ++i) ASSERT_EQ(done[i], 1) << i;
}

TEST(Parallel, never_runs_two_tasks_at_once_with_the_same_worker) {
  constexpr int kThreads = 4;
  std::atomic<int> busy[kThreads] = {};
  for (int round = 0; round < 200; ++round)
    Parallel(kThreads).run(64, [&](int64_t, int worker) {
      EXPECT_EQ(busy[worker].fetch_add(1), 0);
      busy[worker].fetch_sub(1);
    });
}

TEST(Parallel, in_turns_does_the_tasks_of_all_threads_on_the_callers) {
  const Parallel parallel = Parallel::in_turns(4);
  EXPECT_EQ(parallel.threads(), 4);
  const std::thread::id mine = std::this_thread::get_id();
  int64_t next = 0;
  const Parallel::Hot hot(parallel);
  parallel.run(100, [&](int64_t task, int worker) {
    EXPECT_EQ(task, next++);
    EXPECT_EQ(worker, 0);
    EXPECT_EQ(std::this_thread::get_id(), mine);
  });
  EXPECT_EQ(next, 100);
}

TEST(Parallel, lets_loops_of_several_callers_finish) {
  std::atomic<int64_t> sum{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c)
    callers.emplace_back([&] {
      for (int round = 0; round < 300; ++round) Parallel(3).run(17, [&](int64_t i, int) { sum += i; });
    });
  for (auto& t : callers) t.join();
  EXPECT_EQ(sum.load(), 4 * 300 * (16 * 17 / 2));
}

// As many runs as cores: each computes on its own thread, and goes on so for a while after the others have ended.
TEST(Parallel, leaves_the_cores_to_runs_that_compute_at_the_same_time) {
  const Parallel parallel(4);
  const std::thread::id mine = std::this_thread::get_id();
  std::atomic<int64_t> elsewhere{0};
  const auto loop = [&] {
    parallel.run(64, [&](int64_t, int) {
      if (std::this_thread::get_id() != mine) ++elsewhere;
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    });
  };
  {
    std::deque<Parallel::Hot> runs;
    while (static_cast<int>(runs.size()) < std::max(available_cores(), 2)) runs.emplace_back(parallel);
    for (int i = 0; i < 20; ++i) loop();
    EXPECT_EQ(elsewhere, 0);
  }
  for (int i = 0; i < 200 && elsewhere == 0; ++i) loop();
  EXPECT_GT(elsewhere, 0) << "with the cores free again the pool takes part";
}

TEST(OwnThread, has_a_stack_of_a_size_that_does_not_depend_on_the_c_library) {
  std::promise<size_t> reported;
  start_own_thread([&] {
    pthread_attr_t attributes;
    size_t bytes = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
      pthread_attr_getstacksize(&attributes, &bytes);
      pthread_attr_destroy(&attributes);
    }
    reported.set_value(bytes);
  });
  EXPECT_GE(reported.get_future().get(), kOwnThreadStack / 2);  // some take its guard or thread-local data from it
}

TEST(Parallel, lets_a_task_start_a_nested_loop) {
  std::atomic<int> count{0};
  Parallel(2).run(8, [&](int64_t, int) { Parallel(2).run(8, [&](int64_t, int) { count++; }); });
  EXPECT_EQ(count.load(), 64);
}

#if defined(__x86_64__)
TEST(FloatingPointScope, sets_the_contract_state_and_restores_the_callers) {
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040);  // flush to zero, denormals are zero
  {
    const FloatingPointScope scope;
    EXPECT_EQ(_mm_getcsr() & 0x8040u, 0u);
  }
  EXPECT_EQ(_mm_getcsr() & 0x8040u, 0x8040u);
  Parallel(4).run(64, [&](int64_t, int worker) {
    if (worker != 0) {
      EXPECT_EQ(_mm_getcsr() & 0x8040u, 0u);
    }
  });
  _mm_setcsr(before);
}
#endif

}  // namespace
}  // namespace anydim
