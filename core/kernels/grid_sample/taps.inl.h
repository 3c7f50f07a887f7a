// SPDX-License-Identifier: Apache-2.0
// The body of taps.h: plain loops over points side by side. Of each axis the first product, then the others by multiply-add, the last axis
// first; one tap is copied.
#pragma once

#include "core/kernels/grid_sample/taps.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

constexpr int kPoints = GridTapsJob::kPoints;

template <int kTaps> inline void channel_of_taps(const GridTapsJob& j, const float* x, float* y) noexcept {
  int reads = 1;
  for (int a = 0; a < j.axes; ++a) reads *= kTaps;
  float v[GridTapsJob::kMostReads][kPoints];
  for (int r = 0; r < reads; ++r)
    for (int l = 0; l < kPoints; ++l) v[r][l] = j.offset[r][l] != GridTapsJob::kOutside ? x[j.offset[r][l]] : 0.f;
  for (int a = j.axes - 1; kTaps > 1 && a >= 0; --a) {
    reads /= kTaps;
    for (int r = 0; r < reads; ++r) {
      float sum[kPoints];
      for (int l = 0; l < kPoints; ++l) sum[l] = j.weight[a][0][l] * v[r * kTaps][l];
      for (int t = 1; t < kTaps; ++t)
        for (int l = 0; l < kPoints; ++l) sum[l] = __builtin_fmaf(j.weight[a][t][l], v[r * kTaps + t][l], sum[l]);
      __builtin_memcpy(v[r], sum, sizeof sum);
    }
  }
  for (int l = 0; l < j.points; ++l) y[l * j.y_point] = v[0][l];
}

inline void points_of_taps(const GridTapsJob& j) noexcept {
  for (int64_t c = 0; c < j.channels; ++c) {
    if (j.taps == 1) channel_of_taps<1>(j, j.x + c * j.x_channel, j.y + c * j.y_channel);
    else if (j.taps == 2) channel_of_taps<2>(j, j.x + c * j.x_channel, j.y + c * j.y_channel);
    else channel_of_taps<4>(j, j.x + c * j.x_channel, j.y + c * j.y_channel);
  }
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
