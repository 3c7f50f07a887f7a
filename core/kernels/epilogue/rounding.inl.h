// SPDX-License-Identifier: Apache-2.0
// What kernels that store tiles themselves do about the rounding to 16 bits at the end of a chain.
#pragma once

#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/epilogue/epilogue_tile.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

// The rounding to 16 bits that a chain ends with, or identity. Kernels that store tiles themselves apply it to what they have stored,
// which lies near: in the microkernels' registers it would be tens of kilobytes of code, and tiles without one would be slower.
inline UnaryFunction rounding_at_end(const EpilogueProgram& p) {
  if (p.count == 0 || p.steps[p.count - 1].kind != PostOp::Kind::unary) return UnaryFunction::identity;
  const UnaryFunction last = p.steps[p.count - 1].unary;
  return last == UnaryFunction::round_f16 || last == UnaryFunction::round_bf16 ? last : UnaryFunction::identity;
}

// Rounds n neighbours in place.
inline __attribute__((noinline)) void round_line(UnaryFunction rounding, float* p, int64_t n) {
  constexpr int W = F32::kWidth;
  const auto each = [&](auto f) {
    for (; n >= W; n -= W, p += W) f(F32::load(p)).store(p);
    if (const auto lanes = static_cast<int>(n); lanes > 0) f(F32::load_partial(p, lanes)).store_partial(p, lanes);
  };
  if (rounding == UnaryFunction::round_f16) each([](F32 x) { return round_f16(x); });
  else each([](F32 x) { return round_bf16(x); });
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
