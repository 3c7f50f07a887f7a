// SPDX-License-Identifier: Apache-2.0
// Where log lines go; see log.h. The level is one atomic, so that a line that nobody wants costs a load.
#include "capi/log.h"

#include <atomic>
#include <cstdio>
#include <mutex>

#include "core/base/environment.h"

namespace anydim::capi {

namespace {

constexpr const char* kNames[] = {"none", "error", "warning", "info", "debug"};

anydim_log_level_t level_from_environment() noexcept { return environment_word("ANYDIM_LOG", kNames, ANYDIM_LOG_WARNING); }

std::atomic<anydim_log_level_t>& level_now() noexcept {
  static std::atomic<anydim_log_level_t> level{level_from_environment()};
  return level;
}

std::mutex sink_mutex;
anydim_log_callback_t sink = nullptr;
void* sink_user = nullptr;

}  // namespace

bool log_enabled(anydim_log_level_t level) noexcept { return level <= level_now().load(std::memory_order_relaxed); }

void log_text(anydim_log_level_t level, const std::string& text) noexcept {
  anydim_log_callback_t callback;
  void* user;
  {
    const std::lock_guard lock(sink_mutex);
    callback = sink;
    user = sink_user;
  }
  if (callback != nullptr) callback(user, level, text.c_str());
  else std::fprintf(stderr, "anydim: %s: %s\n", kNames[level], text.c_str());
}

void log_redirect(anydim_log_level_t level, anydim_log_callback_t callback, void* user) noexcept {
  const std::lock_guard lock(sink_mutex);
  sink = callback;
  sink_user = user;
  level_now().store(level, std::memory_order_relaxed);
}

}  // namespace anydim::capi
