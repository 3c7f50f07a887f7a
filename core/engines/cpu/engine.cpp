// SPDX-License-Identifier: Apache-2.0
// Making CPU engines and growing stream scratch; see engine.h.
#include "core/engines/cpu/engine.h"

#include <unistd.h>

namespace anydim {

Status CpuEngine::create(int threads, HostParallelFor host_for, void* host, std::shared_ptr<const CpuEngine>* out) {
  if (threads < 0 || threads > kMaxThreads)
    return invalid("threads is {}; expected 0 (every core this process may use) to {}", threads, kMaxThreads);
  auto e = std::make_shared<CpuEngine>();
  e->threads_ = threads == 0 ? std::min(available_cores(), kMaxThreads) : threads;
  e->host_for_ = host_for;
  e->host_ = host;
  e->process_ = getpid();
  *out = std::move(e);
  return {};
}

Status CpuEngine::check_process() const {
  if (getpid() == process_) return {};
  return error(Code::forked, "this engine was made in process {}; after a fork the child ({}) makes its own", process_, getpid());
}

std::string CpuEngine::describe() const {
  return fmt::format("cpu: {}, {}, {} thread{}", cpu().name[0] ? cpu().name : "unknown processor", isa_name(cpu().best), threads_,
                     threads_ == 1 ? "" : "s");
}

Status CpuStream::reserve(int64_t bytes) {
  if (bytes <= scratch_.size()) return {};
  auto bigger = AlignedBuffer::allocate(bytes);
  if (!bigger.ok()) return bigger.take_status();
  scratch_ = std::move(*bigger);
  return {};
}

}  // namespace anydim
