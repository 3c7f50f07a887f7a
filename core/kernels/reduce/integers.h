// SPDX-License-Identifier: Apache-2.0
// Reductions of integers: their kernel.
#pragma once

#include "core/kernels/plain_kernel.h"
#include "core/kernels/reduce/integer_steps.h"

namespace anydim {

class IntegerReduce final : public PlainKernel {
 public:
  constexpr IntegerReduce(const char* name, Isa isa, IntegerStepsOf::Function* steps) noexcept
      : PlainKernel(name, OpKind::reduce, isa), steps_(steps) {}
  Support supports(const Problem& p) const noexcept override;
  Status run(const Plan& plan, const Args& args) const noexcept override;

 private:
  IntegerStepsOf::Function* steps_;
};

}  // namespace anydim
