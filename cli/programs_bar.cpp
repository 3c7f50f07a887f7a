// SPDX-License-Identifier: Apache-2.0
// Looks at the counters while a model is loaded; see programs_bar.h.
#include "cli/programs_bar.h"

#include <chrono>
#include <memory>

#include "cli/client.h"
#include "cli/print.h"
#include "cli/shapes.h"

namespace anydim_cli {

int64_t counter(std::string_view name) {
  for (int32_t i = 0;; ++i) {
    anydim_counter_t c = ANYDIM_COUNTER_INIT;
    check(anydim_counter_get(i, &c));
    if (text_of(c.name) == name) return c.value;
  }
}

std::string programs_text() {
  return formatted("{} programs were compiled, {} were there", counter("programs_compiled"), counter("programs_loaded"));
}

void ProgramsBar::watch() {
  constexpr int kStep = 50, kFirst = 1000;  // ms
  std::unique_ptr<Progress> bar;
  for (int waited = 0; !done_.load(); waited += kStep, std::this_thread::sleep_for(std::chrono::milliseconds(kStep))) {
    if (waited < kFirst) continue;
    const int64_t wanted = counter("kernels_to_prepare");
    if (wanted == 0) continue;
    if (bar == nullptr) bar = std::make_unique<Progress>("compiling", static_cast<size_t>(wanted));
    bar->show(static_cast<size_t>(counter("kernels_prepared")), programs_text());
  }
}

}  // namespace anydim_cli
