// SPDX-License-Identifier: Apache-2.0
// Lets exit() wait for calls of drivers; see exit_gate.h.
#include "core/engines/opencl/exit_gate.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "core/base/threads/fork.h"

namespace anydim::opencl {

namespace {

struct Gate {
  std::mutex mutex;
  std::condition_variable nobody;
  std::vector<pid_t> within;  // threads, by the system's numbers
  int registrations = 0;
  bool closed = false;
};
Gate& gate() {
  static auto* const one = new Gate();
  return *one;
}

// Until then nothing is done at a thread's end.
std::atomic<bool> any_has_entered{false};

void before() noexcept { gate().mutex.lock(); }
void after_in_parent() noexcept { gate().mutex.unlock(); }
// Whoever was within did not come along, but who forked while it compiled itself.
void after_in_child() noexcept {
  gate().within.clear();
  gate().mutex.unlock();
}
using Handlers = ForkHandlers<before, after_in_parent, after_in_child>;

pid_t this_thread_number() noexcept { return static_cast<pid_t>(::syscall(SYS_gettid)); }

// Of a compiler, on a machine that has time for it. The background worker's thread runs when nobody else does, so elsewhere it may take
// forever.
constexpr auto kLongest = std::chrono::seconds(10);

// With what exit() was called with.
void close(int status) {
  Gate& g = gate();
  std::unique_lock lock(g.mutex);
  g.closed = true;
  // Who waits for a thread that has to wait for all others passes it its right to run. Whoever may not do that has to wait longer.
  const sched_param none{};
  for (const pid_t thread : g.within) (void)::sched_setscheduler(thread, SCHED_OTHER, &none);
  if (g.nobody.wait_for(lock, kLongest, [&] { return g.within.empty(); })) return;
  // What is destroyed next is in use, so nothing is: other handlers of exit() are lost, but not what was written.
  std::fflush(nullptr);
  ::_exit(status);
}

#ifdef __GLIBC__
bool register_close() noexcept {
  return ::on_exit([](int status, void*) { close(status); }, nullptr) == 0;
}
#else
bool register_close() noexcept {
  return std::atexit([] { close(0); }) == 0;
}
#endif

// Handlers of exit() run in the reverse order of their registration, and a compiler registers the destruction of its statics whenever it
// first needs them: also in a compilation that is under way when the process ends. No handler that was registered before is early enough.
// But exit() destroys the thread-local objects of the thread that called it before it runs any handler. What is registered then runs first.
//
// A thread that merely ends comes here, too. That costs a registration without an effect, so only the main thread and those that end during
// a compilation make one.
class WatchedThread {
 public:
  void watch() noexcept { watched_ = true; }
  ~WatchedThread() {
    if (!any_has_entered.load(std::memory_order_acquire)) return;
    Gate& g = gate();
    const std::lock_guard lock(g.mutex);
    const bool is_main = this_thread_number() == ::getpid();
    if (!g.closed && (is_main || !g.within.empty())) register_close();
  }

 private:
  bool watched_ = false;
};
thread_local WatchedThread this_thread;

// The main thread, which nearly always is who ends the process, need not call the engine itself: it loads the library.
[[maybe_unused]] const bool loading_thread_is_watched = (this_thread.watch(), true);

// For a thread that calls exit() and never called the engine: behind the first compilations most statics have been registered.
constexpr int kRegistrations = 16;

}  // namespace

void ExitGate::watch_this_thread() noexcept { this_thread.watch(); }

Status ExitGate::Pass::enter() {
  Handlers::ensure();
  any_has_entered.store(true, std::memory_order_release);
  watch_this_thread();
  Gate& g = gate();
  const std::lock_guard lock(g.mutex);
  if (g.closed) return error(Code::closed, "the process ends; no program is compiled any more");
  g.within.push_back(this_thread_number());
  in_ = true;
  return {};
}

ExitGate::Pass::~Pass() {
  if (!in_) return;
  Gate& g = gate();
  const std::lock_guard lock(g.mutex);
  if (!g.closed && g.registrations < kRegistrations && register_close()) ++g.registrations;
  if (const auto own = std::find(g.within.begin(), g.within.end(), this_thread_number()); own != g.within.end()) g.within.erase(own);
  if (g.within.empty()) g.nobody.notify_all();
}

void ExitGate::before_what_was_registered() noexcept { register_close(); }

}  // namespace anydim::opencl
