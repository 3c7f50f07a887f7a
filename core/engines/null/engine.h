// SPDX-License-Identifier: Apache-2.0
// The engine to copy from: the least that an engine has, in the order in which its author writes it. It has no device. Its memory is its own
// all the same, which nobody else reads, and its kernels are the reference kernels of every operator: the conformance suite passes from the
// first day, and goes on passing while one function after the other becomes the device's. What is marked DEVICE is what to replace.
// It is in no artifact. docs/adding-an-engine.md goes through it.
#pragma once

#include <deque>

#include "core/engines/engine.h"

namespace anydim::null {

// DEVICE: a kernel of the device's own says which problems it takes, how it plans, and what it makes of constants. This one passes each
// question on to a reference kernel of the CPU.
class NullKernel final : public Kernel {
 public:
  explicit NullKernel(const HostKernel& reference);
  const char* name() const noexcept override { return name_.c_str(); }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem& problem) const noexcept override;
  void plan(const Args& args, Plan* plan) const noexcept override { reference_.plan(args, plan); }
  int64_t scratch_bound(const Problem& problem, std::span<const Dims> in, std::span<const Dims> out, int threads) const noexcept override {
    return reference_.scratch_bound(problem, in, out, threads);
  }
  // Over tensors with data in the engine's memory.
  Status run(const Plan& plan, const Args& args) const noexcept { return reference_.run(plan, args); }

 private:
  const HostKernel& reference_;
  const std::string name_;
  const KernelKey key_;
};

class NullEngine final : public Engine {
 public:
  static EnginePtr create();

  const char* unsupported_reason(const Kernel&) const noexcept override { return nullptr; }
  Rates rates(const Kernel&, bool products) const noexcept override;
  Status allocate(int64_t bytes, MemoryPtr* out) const override;
  Status import(void* data, int64_t bytes, std::shared_ptr<const void> owner, MemoryPtr* out) const override;
  Status pack(const Kernel& kernel, const Problem& problem, std::span<const TensorView> tensors, const Packing& packing,
              WeightsValues* out) const override;
  Status create_stream(int threads, StreamPtr* out) const override;

 private:
  explicit NullEngine(Facts facts);
};

}  // namespace anydim::null
