// SPDX-License-Identifier: Apache-2.0
// GridSample in vectors: nearest and linear, with zeros or the border outside, of elements of 4 bytes. Points go in blocks: their taps
// are found once, in vectors over points; then all channels are read, in vectors over channels where these lie side by side, else over
// points. The bits are those of reference.cpp.
#pragma once

#include <cstdint>

namespace anydim {

struct GridPointsJob {
  static constexpr int kMostAxes = 3, kBlock = 64;
  int axes = 0;
  bool nearest = false, align_corners = false, border = false;
  const float* x = nullptr;  // of the batch
  const float* grid = nullptr;
  float* y = nullptr;
  int64_t channels = 0;
  int64_t x_channel = 0, y_channel = 0;                // strides, in elements
  int64_t grid_point = 0, grid_axis = 0, y_point = 0;  // the grid has the last axis first
  int32_t size[kMostAxes] = {}, stride[kMostAxes] = {};
};

// `count` points, kBlock at most.
struct GridPoints {
  using Function = void(const GridPointsJob& job, int count) noexcept;
  static Function avx512, avx2;
};

}  // namespace anydim
