// SPDX-License-Identifier: Apache-2.0
// The background worker: what is asked for is done once, a full ring drops, nothing waits for it, and a fork or a process's
// end while it works is harmless. The process has one worker, so each test that stops or blocks it runs in a child.
#include "core/dispatch/tuning/worker.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "core/base/testing/emulated.h"

namespace anydim {
namespace {

struct Owner {
  mutable std::atomic<int> served{0};
  mutable std::atomic<bool> hold{false};
};

const char* serve(const std::shared_ptr<const void>& owner, const WorkRequest& request, const std::atomic<bool>& stop) {
  const auto& o = *static_cast<const Owner*>(owner.get());
  while (o.hold && !stop) std::this_thread::yield();
  o.served.fetch_add(1);
  if (request.number[0] == 13) throw std::bad_alloc();
  return request.number[0] == 7 ? "planted" : nullptr;
}

WorkRequest request(const std::shared_ptr<const Owner>& owner, uint64_t key, int64_t number = 0) {
  WorkRequest r;
  r.owner = owner;
  r.run = serve;
  r.key = key;
  r.count = 1;
  r.number[0] = number;
  return r;
}

// Runs `f` in a child with a worker of its own; 0 is success.
template <class F> int in_child(F&& f) {
  const pid_t child = fork();
  if (child == 0) exit(f());  // exit, not _exit: the end of the process is part of the test
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

TEST(Worker, takes_a_tenth_of_the_time_while_others_work_and_all_of_it_while_they_do_not) {
  EXPECT_EQ(rest_time(1000, 1000, 0), 0);
  EXPECT_EQ(rest_time(1000, 1000, 100), 0) << "a tenth of a core is nobody at work";
  EXPECT_EQ(rest_time(1000, 1000, 101), 9000);
  EXPECT_EQ(rest_time(1000, 50000, 40000), 9000);
}

TEST(Worker, rests_on_its_own_thread_only) {
  const std::atomic<bool> stop{false};
  EXPECT_EQ(Worker::instance().rest(stop), 0);
}

TEST(Worker, serves_each_key_once_and_counts_failures) {
  EXPECT_EQ(in_child([] {
              Worker& w = Worker::instance();
              w.start();
              const auto owner = std::make_shared<const Owner>();
              for (uint64_t i = 0; i < 20; ++i) {
                if (!w.push(request(owner, i))) return 1;
                if (!w.push(request(owner, i))) return 2;
              }
              w.push(request(owner, 100, 7));
              w.push(request(owner, 101, 13));
              if (!w.drain(testing::surely())) return 3;
              const WorkerStatistics s = w.statistics();
              if (owner->served != 22) return 4;
              return s.served == 20 && s.repeated == 20 && s.failed == 2 && s.queued == 0 ? 0 : 5;
            }),
            0);
}

TEST(Worker, drops_what_finds_the_ring_full_and_pushes_never_wait_for_it) {
  EXPECT_EQ(in_child([] {
              Worker& w = Worker::instance();
              w.start();
              const auto owner = std::make_shared<const Owner>();
              owner->hold = true;
              int taken = 0;
              for (uint64_t i = 0; i < 1000; ++i) taken += w.push(request(owner, i));
              const WorkerStatistics s = w.statistics();
              if (taken >= 1000 || s.dropped != 1000 - taken) return 1;
              if (w.drain(20)) return 2;  // it is held
              owner->hold = false;
              return w.drain(testing::surely()) && owner->served == taken ? 0 : 3;
            }),
            0);
}

TEST(Worker, that_never_returns_does_not_hold_up_the_end_of_the_process) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(in_child([] {
              Worker& w = Worker::instance();
              w.start();
              static const auto owner = std::make_shared<const Owner>();
              WorkRequest r = request(owner, 1);
              r.run = [](const std::shared_ptr<const void>& o, const WorkRequest&, const std::atomic<bool>&) -> const char* {
                static_cast<const Owner*>(o.get())->served = 1;
                for (;;) pause();
              };
              w.push(std::move(r));
              while (owner->served == 0) std::this_thread::yield();
              return 0;
            }),
            0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60)) << "it hung";
}

TEST(Worker, rests_while_paused_and_drops_everything_once_off) {
  EXPECT_EQ(in_child([] {
              Worker& w = Worker::instance();
              w.start();
              const auto owner = std::make_shared<const Owner>();
              w.pause();
              w.push(request(owner, 1));
              if (w.drain(50) || owner->served != 0) return 1;
              w.resume();
              if (!w.drain(testing::surely()) || owner->served != 1) return 2;
              w.turn_off();
              if (w.push(request(owner, 2))) return 3;
              return owner->served == 1 && w.statistics().off ? 0 : 4;
            }),
            0);
}

TEST(Worker, of_a_forked_child_is_its_own_though_the_parent_s_was_busy) {
  EXPECT_EQ(in_child([] {
              Worker& w = Worker::instance();
              w.start();
              const auto owner = std::make_shared<const Owner>();
              owner->hold = true;
              w.push(request(owner, 1));
              const int child = in_child([] {
                Worker& mine = Worker::instance();
                if (mine.statistics().requested != 0) return 1;
                mine.start();
                const auto own = std::make_shared<const Owner>();
                mine.push(request(own, 1));
                return mine.drain(testing::surely()) && own->served == 1 ? 0 : 2;
              });
              owner->hold = false;
              return child;
            }),
            0);
}

TEST(Worker, skips_requests_whose_owner_is_gone) {
  EXPECT_EQ(in_child([] {
              Worker& w = Worker::instance();
              w.start();
              w.pause();
              auto owner = std::make_shared<const Owner>();
              w.push(request(owner, 1));
              owner.reset();
              w.resume();
              return w.drain(testing::surely()) && w.statistics().served == 0 ? 0 : 1;
            }),
            0);
}

}  // namespace
}  // namespace anydim
