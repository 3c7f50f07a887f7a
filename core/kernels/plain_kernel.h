// SPDX-License-Identifier: Apache-2.0
// What the plainest kernels share, most of them references: they compute one operator on every dtype, element by element,
// without plan, scratch or post-ops. Not for kernels with a choice to make.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

class PlainKernel : public HostKernel {
 public:
  constexpr PlainKernel(const char* name, OpKind op, Isa isa = Isa::portable) noexcept
      : name_(name), key_{.op = op, .src = DType::none, .dst = DType::none, .isa = isa} {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem& p) const noexcept override {
    if (p.op->kind() != key_.op) return no("another operator");
    return p.post_ops->count == 0 ? yes() : no("post-ops are not fused into this operator");
  }
  void plan(const Args&, Plan* plan) const noexcept override { plan->scratch = 0; }
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int) const noexcept override { return 0; }

 private:
  const char* name_;
  KernelKey key_;
};

}  // namespace anydim
