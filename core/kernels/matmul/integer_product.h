// SPDX-License-Identifier: Apache-2.0
// Matmul of integers of 32 and 64 bits: its kernel.
#pragma once

#include "core/kernels/matmul/integer_tiles.h"
#include "core/kernels/plain_kernel.h"

namespace anydim {

class IntegerProduct final : public PlainKernel {
 public:
  constexpr IntegerProduct(const char* name, Isa isa, const IntegerTiles& tiles) noexcept
      : PlainKernel(name, OpKind::matmul, isa), tiles_(tiles) {}
  Support supports(const Problem& p) const noexcept override;
  Status run(const Plan& plan, const Args& args) const noexcept override;

 private:
  const IntegerTiles& tiles_;
};

}  // namespace anydim
