// SPDX-License-Identifier: Apache-2.0
// A tap of deformable columns over the vector type F32, and over doubles. Lanes are channels, whose elements at a position are neighbours; a
// square of positions and channels is transposed before it is stored.
#pragma once

#include <cstdint>

#include "core/kernels/detect/deform_lines.h"
#include "core/kernels/simd/doubles.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

// The elements around position i, times their weights, added in order; docs/numerics.md, section 10.
template <class Load>
inline __attribute__((always_inline)) F32 between(const DeformLine<float>& line, int64_t i, int64_t c, const Load& load) {
  F32 sum = F32::zero();
#pragma GCC unroll copies(4)
  for (int k = 0; k < 4; ++k) {
    const float weight = line.weight[k][i];
    // One that is outside may be nowhere: a plane can be empty.
    const F32 e = weight != 0.f ? F32::set(weight) * load(line.x + line.offset[k][i] + c) : F32::zero();
    sum = k == 0 ? e : sum + e;
  }
  return sum;
}

inline void deform_floats(const DeformLine<float>& line) noexcept {
  constexpr int W = F32::kWidth;
  for (int64_t c = 0; c < line.channels; c += W) {
    const int lanes = static_cast<int>(line.channels - c < W ? line.channels - c : W);
    for (int64_t i = 0; i < line.count; i += W) {
      const int count = static_cast<int>(line.count - i < W ? line.count - i : W);
      F32 square[W];
      for (int k = 0; k < W; ++k) {
        if (k >= count) square[k] = F32::zero();
        else if (lanes == W) square[k] = between(line, i + k, c, [](const float* p) { return F32::load(p); });
        else square[k] = between(line, i + k, c, [lanes](const float* p) { return F32::load_partial(p, lanes); });
      }
      transpose(square);
      const F32 factor = line.factor ? F32::load_partial(line.factor + i, count) : F32::zero();
      for (int k = 0; k < lanes; ++k) {
        const F32 v = line.factor ? square[k] * factor : square[k];
        float* to = line.to + (c + k) * line.channel_step + i * line.position_step;
        if (line.position_step == 1) {
          if (count == W) v.store(to);
          else v.store_partial(to, count);
          continue;
        }
        float apart[W];
        v.store(apart);
        for (int p = 0; p < count; ++p) to[p * line.position_step] = apart[p];
      }
    }
  }
}

// The same of V, which is a vector of doubles or one of them, at position i from channel c on.
template <class V> inline __attribute__((always_inline)) V between_doubles(const DeformLine<double>& line, int64_t i, int64_t c) {
  V sum{};
#pragma GCC unroll copies(4)
  for (int k = 0; k < 4; ++k) {
    V e{};
    if (line.weight[k][i] != 0.0) {
      __builtin_memcpy(&e, line.x + line.offset[k][i] + c, sizeof e);
      e = line.weight[k][i] * e;
    }
    sum = k == 0 ? e : sum + e;
  }
  return sum;
}
// Positions [0, count), of as many channels as V has lanes.
template <class V> inline void deform_channels(const DeformLine<double>& line, int64_t c) {
  constexpr int64_t W = sizeof(V) / sizeof(double);
  for (int64_t i = 0; i < line.count; i += W) {
    const int64_t count = line.count - i < W ? line.count - i : W;
    double square[W][W];
    for (int64_t k = 0; k < count; ++k) {
      V v = between_doubles<V>(line, i + k, c);
      if (line.factor) v = v * line.factor[i + k];
      __builtin_memcpy(square[k], &v, sizeof v);
    }
    for (int64_t k = 0; k < W; ++k) {
      double* const to = line.to + (c + k) * line.channel_step + i * line.position_step;
      for (int64_t p = 0; p < count; ++p) to[p * line.position_step] = square[p][k];
    }
  }
}
inline void deform_doubles(const DeformLine<double>& line) noexcept {
  int64_t c = 0;
  for (; c + kDoubles <= line.channels; c += kDoubles) deform_channels<Doubles<kDoubles>>(line, c);
  for (; c < line.channels; ++c) deform_channels<double>(line, c);
}

constexpr DeformLines kDeformLines = {deform_floats, deform_doubles};

}  // namespace
}  // namespace anydim::ANYDIM_ISA
