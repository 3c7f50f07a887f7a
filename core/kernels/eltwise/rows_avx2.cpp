// SPDX-License-Identifier: Apache-2.0
// The f32 element-wise machine, avx2.
#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/eltwise/strip_steps.inl.h"
#include "core/kernels/eltwise/rows.inl.h"

namespace anydim {

void EltwiseRows::avx2(const RowBlock& block) noexcept { avx2::run_rows(block); }
void StripUnary::avx2(UnaryFunction function, float alpha, float beta, void* strip, int n) noexcept {
  avx2::apply(function, alpha, beta, static_cast<avx2::F32*>(strip), n);
}
void StripBinary::avx2(BinaryFunction function, void* a, const void* b, int n) noexcept {
  avx2::apply(function, static_cast<avx2::F32*>(a), static_cast<const avx2::F32*>(b), n);
}

}  // namespace anydim
