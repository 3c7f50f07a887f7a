// SPDX-License-Identifier: Apache-2.0
// One step of a post-op chain on a strip of vectors that is held in registers: steps of a few instructions are unrolled in place; the
// longer functions work on a copy of the strip in L1, so that the strip itself stays in registers. The loops over strips are those of the
// epilogue and of the element-wise machine.
#pragma once

#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/eltwise/strip_functions.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

// Vectors that are arrays of floats are in memory anyway: unrolling would make the portable kernels 70 KB larger, and no faster.
constexpr bool kInRegisters = alignof(F32) > alignof(float);
// With 32 registers the two long functions that networks have behind most of their layers stay there, too: by way of memory a strip
// waits for its own latency (behind a tile silu takes 0.72 of that time, gelu 0.78).
constexpr bool kManyInRegisters = kInRegisters && F32::kWidth == 16;

// v = f(v) for the whole strip, unrolled.
template <int R, int C, class F> inline __attribute__((always_inline)) void each(F32 (&v)[R][C], F&& f) {
#pragma GCC unroll copies(8)
  for (int i = 0; i < R; ++i)
#pragma GCC unroll copies(8)
    for (int j = 0; j < C; ++j) v[i][j] = f(v[i][j]);
}
template <int R, int C, class F> inline __attribute__((always_inline)) void each(F32 (&v)[R][C], const F32 (&t)[R][C], F&& f) {
#pragma GCC unroll copies(8)
  for (int i = 0; i < R; ++i)
#pragma GCC unroll copies(8)
    for (int j = 0; j < C; ++j) v[i][j] = f(v[i][j], t[i][j]);
}

template <int R, int C> inline __attribute__((always_inline)) void copy_strip(const F32 (&from)[R][C], F32 (&to)[R][C]) {
#pragma GCC unroll copies(8)
  for (int i = 0; i < R; ++i)
#pragma GCC unroll copies(8)
    for (int j = 0; j < C; ++j) to[i][j] = from[i][j];
}

template <int R, int C> inline __attribute__((always_inline)) void unary_step(UnaryFunction f, float a, float b, F32 (&v)[R][C]) {
  if constexpr (!kInRegisters) return StripUnary::ANYDIM_ISA(f, a, b, v, R * C);
  const F32 alpha = F32::set(a), beta = F32::set(b);
  switch (f) {
    case UnaryFunction::relu: return each(v, [](F32 y) { return relu(y); });
    case UnaryFunction::leaky_relu: return each(v, [&](F32 y) { return select(y < F32::zero(), alpha * y, y); });
    case UnaryFunction::clip: return each(v, [&](F32 y) { return clip(y, alpha, beta); });
    case UnaryFunction::affine: return each(v, [&](F32 y) { return fma(alpha, y, beta); });
    case UnaryFunction::hard_swish: return each(v, [&](F32 y) { return hard_swish(y); });
    case UnaryFunction::silu:
      if constexpr (kManyInRegisters) return each(v, [](F32 y) { return silu(y); });
      break;
    case UnaryFunction::gelu_erf:
      if constexpr (kManyInRegisters) return each(v, [](F32 y) { return gelu_erf(y); });
      break;
    case UnaryFunction::round_f16: return each(v, [](F32 y) { return round_f16(y); });
    case UnaryFunction::hard_sigmoid: return each(v, [&](F32 y) { return clip(fma(alpha, y, beta), F32::zero(), F32::set(1.f)); });
    default: break;
  }
  F32 copy[R][C];
  copy_strip(v, copy);
  StripUnary::ANYDIM_ISA(f, a, b, copy, R * C);
  copy_strip(copy, v);
}

template <int R, int C>
inline __attribute__((always_inline)) void binary_step(BinaryFunction f, bool reversed, F32 (&v)[R][C], const F32 (&t)[R][C]) {
  if constexpr (!kInRegisters) {
    if (!reversed) return StripBinary::ANYDIM_ISA(f, v, t, R * C);
    F32 other[R][C];
    copy_strip(t, other);
    StripBinary::ANYDIM_ISA(f, other, v, R * C);
    return copy_strip(other, v);
  }
  switch (f) {
    case BinaryFunction::add: return each(v, t, [](F32 y, F32 x) { return y + x; });
    case BinaryFunction::mul: return each(v, t, [](F32 y, F32 x) { return y * x; });
    case BinaryFunction::sub:
      if (reversed) return each(v, t, [](F32 y, F32 x) { return x - y; });
      return each(v, t, [](F32 y, F32 x) { return y - x; });
    default: {
      F32 a[R][C], b[R][C];
      copy_strip(v, a);
      copy_strip(t, b);
      if (reversed) {
        StripBinary::ANYDIM_ISA(f, b, a, R * C);
        copy_strip(b, v);
      } else {
        StripBinary::ANYDIM_ISA(f, a, b, R * C);
        copy_strip(a, v);
      }
    }
  }
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
