// SPDX-License-Identifier: Apache-2.0
// The range of a tensor (convert_rows.h).
#pragma once

#include <cstdint>
#include <limits>

#include "core/kernels/quantized/convert_rows.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

Extremes range_of_rows(const RangeJob& job) noexcept {
  Extremes e;
  bool number = true;
  const auto count = [&](float x) {
    e.low = x < e.low ? x : e.low;
    e.high = x > e.high ? x : e.high;
    number = number && x == x;
  };
  constexpr int kWidth = F32::kWidth, kAtOnce = 4;
  constexpr bool kInRegisters = alignof(F32) > alignof(float);  // portable vectors lie in memory: plain loops are as good
  int64_t done = 0;                                             // columns of each row
  if (kInRegisters && job.column_step == 1 && job.columns >= kWidth) {
    F32 low[kAtOnce], high[kAtOnce];
    F32::Mask none[kAtOnce];
#pragma GCC unroll copies(4)
    for (int i = 0; i < kAtOnce; ++i) low[i] = high[i] = F32::zero(), none[i] = is_nan(F32::zero());
    const auto take = [&](const float* p, int i) {
      const F32 x = F32::load(p);
      low[i] = pick_less(x, low[i]);  // NaN of x is passed over
      high[i] = pick_greater(x, high[i]);
      none[i] = none[i] | is_nan(x);
    };
    done = job.columns / kWidth * kWidth;
    for (int64_t r = 0; r < job.rows; ++r) {
      const float* const row = job.x + r * job.row_step;
      int64_t c = 0;
      for (; c + kWidth * kAtOnce <= done; c += kWidth * kAtOnce)
#pragma GCC unroll copies(4)
        for (int i = 0; i < kAtOnce; ++i) take(row + c + kWidth * i, i);
      for (; c < done; c += kWidth) take(row + c, 0);
    }
#pragma GCC unroll copies(4)
    for (int i = 1; i < kAtOnce; ++i) {
      low[0] = pick_less(low[0], low[i]);
      high[0] = pick_greater(high[0], high[i]);
      none[0] = none[0] | none[i];
    }
    float ends[2][kWidth];
    low[0].store(ends[0]);
    high[0].store(ends[1]);
    // No NaN is left. Four at a time: in one chain each would wait for the one before, longer than a row of some tens takes.
    constexpr int kChains = 4;
#pragma GCC unroll copies(16)
    for (int i = kChains; i < kWidth; ++i) {
      float &least = ends[0][i % kChains], &most = ends[1][i % kChains];
      least = ends[0][i] < least ? ends[0][i] : least;
      most = ends[1][i] > most ? ends[1][i] : most;
    }
    for (int i = 0; i < kChains; ++i) {
      e.low = ends[0][i] < e.low ? ends[0][i] : e.low;
      e.high = ends[1][i] > e.high ? ends[1][i] : e.high;
    }
    number = number && !any(none[0]);
  }
  for (int64_t r = 0; done < job.columns && r < job.rows; ++r)
    for (int64_t c = done; c < job.columns; ++c) count(job.x[r * job.row_step + c * job.column_step]);
  if (!number) e.low = e.high = std::numeric_limits<float>::quiet_NaN();
  return e;
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
