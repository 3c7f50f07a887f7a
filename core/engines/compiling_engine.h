// SPDX-License-Identifier: Apache-2.0
// What engines that compile their kernels share: which programs a kernel takes, the kernel cache that they come from, and which of them
// the device's compiler could not make. An engine of its kind says how one source is compiled and how one binary is loaded.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <string>
#include <vector>

#include "core/base/threads/fork_lock.h"
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

// Programs for one call, in which its integers are constants. They are the engine's, which drops those made first when there are too many.
struct SpecialisedKernel final : Executable {
  struct Launched {
    DeviceWork work;
    std::weak_ptr<const void> program;  // of one entry
  };
  const DeviceKernel* kernel = nullptr;
  const DeviceTraits* device = nullptr;  // the engine's, which has this
  std::vector<Launched> launches;        // in the order of work()

  static constexpr int kMostLaunches = 4;
  // The programs of a launch that this was made for, held; empty if the launch has none, is of another call, or they were dropped.
  using Programs = std::array<std::shared_ptr<const void>, kMostLaunches>;
  static bool programs_of(const Launch& launch, Programs* out) noexcept;
};

class CompilingEngine : public Engine, private BinaryStore::Later {
 public:
  static constexpr int64_t kMostSpecialised = INT64_C(16) << 20;  // bytes of such programs

  Status specialise(const Kernel& kernel, const Executable& reusable, const Plan& plan, const Args& args, ExecutablePtr* out) const final;
  Status prepare(const Kernel& kernel, const Problem& problem, ExecutablePtr* out) const final;
  const char* refuses(const Kernel& kernel, const Problem& problem) const noexcept final;
  const char* unsupported_reason(const Kernel& kernel) const noexcept override;
  const CompilingEngine* compiling() const noexcept final { return this; }

  const DeviceTraits& traits() const noexcept { return traits_; }
  // Of all primitives of the device. What the registry's kernels need is never evicted: there are as many programs as keys.
  KernelCache& programs() const noexcept { return *programs_; }
  // For single calls: a cache of their own, so that they never displace those above. Not kept between processes.
  KernelCache& specialised_programs() const noexcept { return *specialised_; }

 protected:
  // All kernels of the list are DeviceKernels. `store` keeps binaries between processes and outlives the engine; null: they are not kept.
  CompilingEngine(Facts facts, const KernelTable& kernels, const DeviceTraits& traits, BinaryStore* store);

  // ok, or why nothing of the device may be touched: asked before any lock is.
  virtual Status usable() const { return {}; }
  // Blocks as long as the compiler takes. `binary` stays empty if the driver gives none. What the compiler refuses is unimplemented,
  // with what it says; other failures (no memory, the device is lost) are not the kernel's.
  virtual Status compile(const CompileKey& key, const DeviceSource& source, DeviceProgram* out, std::string* binary) const = 0;
  // How to get the binary later, where compile() left it empty because the driver takes long to give it.
  virtual ProgramMaker::LateBinary late_binary(const CompileKey& /*key*/, const DeviceSource& /*source*/,
                                               const DeviceProgram& /*program*/) const {
    return {};
  }
  // The source of an entry whose integer arguments are those of `work`; it keeps its arguments. False: this engine's language has no way.
  virtual bool specialised_source(const DeviceSource& /*source*/, const DeviceWork& /*work*/, DeviceSource* /*out*/) const { return false; }
  // Of a binary that compile() gave for this key and source, whole and unharmed, in this process or an earlier one.
  virtual Status load(const CompileKey& key, const DeviceSource& source, const std::string& binary, DeviceProgram* out) const = 0;

 private:
  class Maker;
  struct Refusal {
    CompileKey key;
    std::string because;
  };

  int next() const override;
  void ask_for_binaries() const;

  const DeviceTraits traits_;
  BinaryStore* const store_;
  mutable std::atomic<bool> asked_{false};  // somebody will call next()
  const std::shared_ptr<KernelCache> programs_, specialised_;
  mutable std::atomic<bool> any_refusal_{false};
  mutable ForkLock refusals_lock_;
  mutable std::deque<Refusal> refusals_;  // never removed: callers keep their sentences
};

}  // namespace anydim
