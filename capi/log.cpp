// SPDX-License-Identifier: Apache-2.0
// Where log lines go; see log.h. The level is one atomic, so that a line that nobody wants costs a load.
#include "capi/log.h"

#include <atomic>
#include <cstdio>

#include "core/base/environment.h"

namespace anydim::capi {

namespace {

constexpr const char* kNames[] = {"none", "error", "warning", "info", "debug"};

anydim_log_level_t level_from_environment() noexcept { return environment_word("ANYDIM_LOG", kNames, ANYDIM_LOG_WARNING); }

std::atomic<anydim_log_level_t>& level_now() noexcept {
  static std::atomic<anydim_log_level_t> level{level_from_environment()};
  return level;
}

// Where lines go. Sinks stay in memory, so that a line needs no lock, which a fork could leave locked in the child. What counts in
// one with a finalizer is `users`, the lines on their way and one for being the current one: whoever takes it to 0 calls the
// finalizer, and nobody enters from then on.
struct Sink {
  const anydim_log_callback_t callback;
  void* const user;
  const anydim_finalizer_callback_t finalizer;
  Sink* next;
  std::atomic<int64_t> users{1};

  bool enter() noexcept {
    if (finalizer == nullptr) return true;
    int64_t n = users.load(std::memory_order_relaxed);
    while (n > 0)
      if (users.compare_exchange_weak(n, n + 1, std::memory_order_acquire)) return true;
    return false;
  }
  void leave() noexcept {
    if (finalizer != nullptr && users.fetch_sub(1, std::memory_order_acq_rel) == 1) finalizer(user);
  }
};
constinit std::atomic<Sink*> known{nullptr}, current{nullptr};

// One without a finalizer serves again.
Sink* sink_of(anydim_log_callback_t callback, void* user, anydim_finalizer_callback_t finalizer) {
  Sink* newest = known.load(std::memory_order_acquire);
  if (finalizer == nullptr)
    for (Sink* s = newest; s != nullptr; s = s->next)
      if (s->callback == callback && s->user == user && s->finalizer == nullptr) return s;
  auto* const made = new Sink{callback, user, finalizer, newest};
  while (!known.compare_exchange_weak(made->next, made, std::memory_order_acq_rel)) {
  }
  return made;
}

// The current one, entered; null is standard error.
Sink* enter_current() noexcept {
  for (;;) {
    Sink* const sink = current.load(std::memory_order_acquire);
    if (sink == nullptr || sink->enter()) return sink;
  }
}

}  // namespace

bool log_enabled(anydim_log_level_t level) noexcept { return level <= level_now().load(std::memory_order_relaxed); }

void log_text(anydim_log_level_t level, const std::string& text) noexcept {
  Sink* const sink = enter_current();
  if (sink == nullptr) {
    std::fprintf(stderr, "anydim: %s: %s\n", kNames[level], text.c_str());
    return;
  }
  sink->callback(sink->user, level, text.c_str());
  sink->leave();
}

void log_redirect(anydim_log_callback_t callback, void* user, anydim_finalizer_callback_t finalizer) {
  Sink* const now = callback != nullptr ? sink_of(callback, user, finalizer) : nullptr;
  if (Sink* const before = current.exchange(now, std::memory_order_acq_rel); before != nullptr) before->leave();
}

void log_to_level(anydim_log_level_t level) noexcept { level_now().store(level, std::memory_order_relaxed); }

void log_facts(anydim_log_level_t* level, anydim_log_callback_t* callback, void** user) noexcept {
  *level = level_now().load(std::memory_order_relaxed);
  const Sink* const sink = current.load(std::memory_order_acquire);
  *callback = sink != nullptr ? sink->callback : nullptr;
  *user = sink != nullptr ? sink->user : nullptr;
}

}  // namespace anydim::capi
