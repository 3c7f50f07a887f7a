// SPDX-License-Identifier: Apache-2.0
// See exit_gate.h.
#include "core/engines/opencl/exit_gate.h"

#include <cstdlib>

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "core/base/fork.h"

namespace anydim::opencl {

namespace {

struct Gate {
  std::mutex mutex;
  std::condition_variable nobody;
  int within = 0;
  int registrations = 0;
  bool closed = false;
};
Gate& gate() {
  static auto* const one = new Gate();
  return *one;
}

void before() noexcept { gate().mutex.lock(); }
void after_in_parent() noexcept { gate().mutex.unlock(); }
// Whoever was within did not come along, but who forked while it compiled itself.
void after_in_child() noexcept {
  gate().within = 0;
  gate().mutex.unlock();
}
using Handlers = ForkHandlers<before, after_in_parent, after_in_child>;

// A compiler registers some of what it destroys at exit when it first needs it. What is registered last is done first, so the gate's own
// end is registered again behind the first calls.
constexpr int kRegistrations = 16;

// A driver that never comes back shall not keep a process for ever.
constexpr auto kLongest = std::chrono::seconds(60);

void close() {
  Gate& g = gate();
  std::unique_lock lock(g.mutex);
  g.closed = true;
  g.nobody.wait_for(lock, kLongest, [&] { return g.within == 0; });
}

}  // namespace

Status ExitGate::Pass::enter() {
  Handlers::ensure();
  Gate& g = gate();
  const std::lock_guard lock(g.mutex);
  if (g.closed) return error(Code::closed, "the process ends; no program is compiled any more");
  ++g.within;
  in_ = true;
  return {};
}

ExitGate::Pass::~Pass() {
  if (!in_) return;
  Gate& g = gate();
  const std::lock_guard lock(g.mutex);
  if (!g.closed && g.registrations < kRegistrations && std::atexit(close) == 0) ++g.registrations;
  if (g.within > 0 && --g.within == 0) g.nobody.notify_all();
}

void ExitGate::before_what_was_registered() noexcept { std::atexit(close); }

}  // namespace anydim::opencl
