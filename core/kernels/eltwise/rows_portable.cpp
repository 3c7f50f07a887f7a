// SPDX-License-Identifier: Apache-2.0
// The f32 element-wise machine, portable.
#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/eltwise/strip_steps.inl.h"
#include "core/kernels/eltwise/rows.inl.h"

namespace anydim {

void EltwiseRows::portable(const RowBlock& block) noexcept { portable::run_rows(block); }
void StripUnary::portable(UnaryFunction function, float alpha, float beta, void* strip, int n) noexcept {
  portable::apply(function, alpha, beta, static_cast<portable::F32*>(strip), n);
}
void StripBinary::portable(BinaryFunction function, void* a, const void* b, int n) noexcept {
  portable::apply(function, static_cast<portable::F32*>(a), static_cast<const portable::F32*>(b), n);
}

}  // namespace anydim
