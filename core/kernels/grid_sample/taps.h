// SPDX-License-Identifier: Apache-2.0
// GridSample of f32 by taps that were found before: what an instruction set does of it. Includes nothing that leaves symbols behind.
#pragma once

#include <cstdint>

namespace anydim {

// Some points of all channels: of each point `reads` elements in the order in which they are interpolated, the last axis fastest.
struct GridTapsJob {
  static constexpr int kPoints = 16, kMostReads = 64;  // four taps along three axes

  const float* x;
  float* y;
  int64_t channels, x_channel, y_channel, y_point;
  int points, taps, axes;                         // taps along an axis: 1, 2 or 4
  static constexpr int64_t kOutside = INT64_MIN;  // an element that counts as zero; others may lie before x, whose strides may be negative
  int64_t offset[kMostReads][kPoints];            // of an element, or kOutside
  float weight[3][4][kPoints];                    // by axis and tap
};

struct GridTapsOf {
  using Function = void(const GridTapsJob& job) noexcept;
  static Function avx512, avx2, portable;
};

}  // namespace anydim
