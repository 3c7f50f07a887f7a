// SPDX-License-Identifier: Apache-2.0
// The maximum over windows of f64: its kernel. See doubles.h.
#pragma once

#include "core/kernels/doubles/rows.h"
#include "core/kernels/plain_kernel.h"

namespace anydim {

class DoubleMaxPool final : public PlainKernel {
 public:
  constexpr DoubleMaxPool(const char* name, Isa isa, const DoubleRows& rows) noexcept
      : PlainKernel(name, OpKind::pooling, isa), rows_(rows) {}
  Support supports(const Problem& p) const noexcept override;
  Status run(const Plan& plan, const Args& args) const noexcept override;

 private:
  const DoubleRows& rows_;
};

}  // namespace anydim
