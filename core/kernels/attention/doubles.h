// SPDX-License-Identifier: Apache-2.0
// Attention of f64: its kernel. See doubles.cpp; the list is that of doubles/doubles.h.
#pragma once

#include "core/kernels/doubles/rows.h"
#include "core/kernels/plain_kernel.h"

namespace anydim {

class DoubleAttention final : public PlainKernel {
 public:
  constexpr DoubleAttention(const char* name, Isa isa, const DoubleRows& rows) noexcept
      : PlainKernel(name, OpKind::attention, isa), rows_(rows) {}
  Support supports(const Problem& p) const noexcept override;
  void plan(const Args& args, Plan* plan) const noexcept override;
  int64_t scratch_bound(const Problem& problem, std::span<const Dims> in, std::span<const Dims> out, int threads) const noexcept override;
  Status run(const Plan& plan, const Args& args) const noexcept override;

 private:
  const DoubleRows& rows_;
};

}  // namespace anydim
