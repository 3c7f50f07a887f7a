// SPDX-License-Identifier: Apache-2.0
// What engines that compile their kernels share: which programs a kernel takes, the kernel cache that they come from, and which of them
// the device's compiler could not make. An engine of its kind says how one source is compiled and how one binary is loaded.
#pragma once

#include <atomic>
#include <deque>
#include <string>
#include <vector>

#include "core/base/fork_lock.h"
#include "core/engines/engine.h"
#include "core/engines/kernel_cache.h"
#include "core/kernels/device_kernel.h"

namespace anydim {

// A device kernel's programs, in the order of its keys.
struct CompiledKernel final : Executable {
  struct Program {
    CompileKey key;
    DeviceProgram made;
    KernelCache::Source source = KernelCache::Source::memory;  // where it came from when this was prepared
  };
  const DeviceKernel* kernel = nullptr;
  std::vector<Program> programs;

  static const CompiledKernel& of(const Launch& launch) noexcept { return static_cast<const CompiledKernel&>(*launch.executable); }
};

class CompilingEngine : public Engine {
 public:
  Status prepare(const Kernel& kernel, const Problem& problem, ExecutablePtr* out) const final;
  const char* refuses(const Kernel& kernel, const Problem& problem) const noexcept final;
  const char* unsupported_reason(const Kernel& kernel) const noexcept override;

  const DeviceTraits& traits() const noexcept { return traits_; }
  // Of all primitives of the device. What the registry's kernels need is never evicted: there are as many programs as keys.
  KernelCache& programs() const noexcept { return *programs_; }

 protected:
  // All kernels of the list are DeviceKernels. `store` keeps binaries between processes and outlives the engine; null: nobody does.
  CompilingEngine(Facts facts, const KernelTable& kernels, const DeviceTraits& traits, BinaryStore* store);

  // ok, or why nothing of the device may be touched: asked before any lock is.
  virtual Status usable() const { return {}; }
  // Blocks as long as the compiler takes. `binary` stays empty if the driver gives none. What the compiler refuses is unimplemented,
  // with what it says; other failures (no memory, the device is lost) are not the kernel's.
  virtual Status compile(const CompileKey& key, const DeviceSource& source, DeviceProgram* out, std::string* binary) const = 0;
  // Of a binary that compile() gave for this key and source, whole and unharmed, in this process or an earlier one.
  virtual Status load(const CompileKey& key, const DeviceSource& source, const std::string& binary, DeviceProgram* out) const = 0;

 private:
  class Maker;
  struct Refusal {
    CompileKey key;
    std::string because;
  };

  const DeviceTraits traits_;
  const std::shared_ptr<KernelCache> programs_;
  mutable std::atomic<bool> any_refusal_{false};
  mutable ForkLock refusals_lock_;
  mutable std::deque<Refusal> refusals_;  // never removed: their sentences are handed out
};

}  // namespace anydim
