// SPDX-License-Identifier: Apache-2.0
// The CPU as an engine: its memory is the process's, its stream executes before submit() returns. All CPU engines of a process
// are one device; they differ in how many threads they may use. Immutable once made; shared freely.
#pragma once

#include "core/engines/engine.h"

namespace anydim {

class CpuEngine final : public Engine {
 public:
  // threads: 0 for every core this process may use.
  static Status create(int threads, EnginePtr* out, Host host = {});
  explicit CpuEngine(int threads, Host host = {});

  const char* unsupported_reason(const Kernel& kernel) const noexcept override;
  Rates rates(const Kernel& kernel, bool products) const noexcept override;
  Status allocate(int64_t bytes, MemoryPtr* out) const override;
  Status import(void* data, int64_t bytes, std::shared_ptr<const void> owner, MemoryPtr* out) const override;
  Status pack(const Kernel& kernel, const Problem& problem, std::span<const TensorView> tensors, const Packing& packing,
              WeightsValues* out) const override;
  Status create_stream(int threads, StreamPtr* out) const override;
};

// The one that internal work runs on (constant folding, say), with every core. Never destroyed.
const EnginePtr& cpu_engine();

// All kernels of this build for the CPU, by family (kernels.cpp).
const KernelTable& cpu_kernels() noexcept;

// Memory of the process that another owner keeps, as a copy between engines names it, or that an owner keeps for it.
class HostMemory final : public Memory {
 public:
  HostMemory(void* data, int64_t bytes, std::shared_ptr<const void> owner = nullptr)
      : Memory(cpu_engine(), reinterpret_cast<uintptr_t>(data), bytes), owner_(std::move(owner)) {}
  Status map(int64_t offset, int64_t bytes, std::byte** out) override;
  Status unmap(int64_t, int64_t) override { return {}; }

 private:
  const std::shared_ptr<const void> owner_;
};

// Of a place in the memory of a host engine.
inline std::byte* pointer_to(const BufferRef& place) noexcept {
  return place.memory == nullptr ? nullptr : reinterpret_cast<std::byte*>(place.memory->address()) + place.offset;
}

}  // namespace anydim
