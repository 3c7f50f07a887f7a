// SPDX-License-Identifier: Apache-2.0
// Where log lines go; see log.h. The level is one atomic, so that a line that nobody wants costs a load.
#include "capi/log.h"

#include <atomic>
#include <cstdio>
#include <new>

#include "core/base/environment.h"

namespace anydim::capi {

namespace {

constexpr const char* kNames[] = {"none", "error", "warning", "info", "debug"};

anydim_log_level_t level_from_environment() noexcept { return environment_word("ANYDIM_LOG", kNames, ANYDIM_LOG_WARNING); }

std::atomic<anydim_log_level_t>& level_now() noexcept {
  static std::atomic<anydim_log_level_t> level{level_from_environment()};
  return level;
}

// Where lines go. Every pair that was ever asked for stays, so that a line needs no lock, which a fork could leave locked in the
// child.
struct Sink {
  const anydim_log_callback_t callback;
  void* const user;
  const Sink* const next;
};
constinit std::atomic<const Sink*> known{nullptr}, current{nullptr};

// Null, which is standard error, where there is no memory for a new one.
const Sink* sink_of(anydim_log_callback_t callback, void* user) noexcept {
  const Sink* newest = known.load(std::memory_order_acquire);
  for (const Sink* s = newest; s != nullptr; s = s->next)
    if (s->callback == callback && s->user == user) return s;
  for (;;) {
    const auto* made = new (std::nothrow) Sink{callback, user, newest};
    if (made == nullptr || known.compare_exchange_strong(newest, made, std::memory_order_acq_rel)) return made;
    delete made;
  }
}

}  // namespace

bool log_enabled(anydim_log_level_t level) noexcept { return level <= level_now().load(std::memory_order_relaxed); }

void log_text(anydim_log_level_t level, const std::string& text) noexcept {
  const Sink* sink = current.load(std::memory_order_acquire);
  if (sink != nullptr) sink->callback(sink->user, level, text.c_str());
  else std::fprintf(stderr, "anydim: %s: %s\n", kNames[level], text.c_str());
}

void log_redirect(anydim_log_level_t level, anydim_log_callback_t callback, void* user) noexcept {
  current.store(callback != nullptr ? sink_of(callback, user) : nullptr, std::memory_order_release);
  level_now().store(level, std::memory_order_relaxed);
}

}  // namespace anydim::capi
