// SPDX-License-Identifier: Apache-2.0
// Log lines of the C API's side: what is probably a mistake, and failed calls at level debug.
#pragma once

#include <string>

#include "anydim/anydim.h"
#include "core/base/status.h"

namespace anydim::capi {

bool log_enabled(anydim_log_level_t level) noexcept;
void log_text(anydim_log_level_t level, const std::string& text) noexcept;
// Throws bad_alloc. The finalizer is called when another callback took this one's place and no line is on its way.
void log_redirect(anydim_log_callback_t callback, void* user, anydim_finalizer_callback_t finalizer);
void log_to_level(anydim_log_level_t level) noexcept;
// The level, and who gets lines; null: standard error.
void log_facts(anydim_log_level_t* level, anydim_log_callback_t* callback, void** user) noexcept;

template <class... A> void log_line(anydim_log_level_t level, fmt::format_string<A...> text, A&&... args) noexcept {
  if (!log_enabled(level)) return;
  try {
    log_text(level, formatted(text, std::forward<A>(args)...));
  } catch (...) {
    // A line that cannot be made is lost.
  }
}

}  // namespace anydim::capi
