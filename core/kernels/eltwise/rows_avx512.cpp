// SPDX-License-Identifier: Apache-2.0
// The f32 element-wise machine, avx512.
#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/eltwise/strip_steps.inl.h"
#include "core/kernels/eltwise/rows.inl.h"

namespace anydim {

void EltwiseRows::avx512(const RowBlock& block) noexcept { avx512::run_rows(block); }
void StripUnary::avx512(UnaryFunction function, float alpha, float beta, void* strip, int n) noexcept {
  avx512::apply(function, alpha, beta, static_cast<avx512::F32*>(strip), n);
}
void StripBinary::avx512(BinaryFunction function, void* a, const void* b, int n) noexcept {
  avx512::apply(function, static_cast<avx512::F32*>(a), static_cast<const avx512::F32*>(b), n);
}

}  // namespace anydim
