// SPDX-License-Identifier: Apache-2.0
// Running sums and products: their kernel.
#pragma once

#include "core/kernels/eltwise/typed_rows.h"
#include "core/kernels/plain_kernel.h"
#include "core/kernels/reduce/running_rows.h"

namespace anydim {

class RunningSums final : public PlainKernel {
 public:
  constexpr RunningSums(const char* name, Isa isa, RunningRowsOf::Function* rows, const TypedRows& casts) noexcept
      : PlainKernel(name, OpKind::cumsum, isa), rows_(rows), casts_(casts) {}
  Support supports(const Problem& p) const noexcept override;
  Status run(const Plan& plan, const Args& args) const noexcept override;

 private:
  RunningRowsOf::Function* rows_;
  const TypedRows& casts_;  // of 16-bit floats
};

}  // namespace anydim
