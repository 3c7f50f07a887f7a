// SPDX-License-Identifier: Apache-2.0
// Making CPU engines; see engine.h.
#include "core/engines/cpu/engine.h"

#include <algorithm>

namespace anydim {

Status CpuEngine::create(int threads, std::shared_ptr<const CpuEngine>* out) {
  if (threads < 0 || threads > kMaxThreads)
    return invalid("threads is {}; expected 0 (every core this process may use) to {}", threads, kMaxThreads);
  auto e = std::make_shared<CpuEngine>();
  e->threads_ = threads == 0 ? std::min(available_cores(), kMaxThreads) : threads;
  *out = std::move(e);
  return {};
}

}  // namespace anydim
