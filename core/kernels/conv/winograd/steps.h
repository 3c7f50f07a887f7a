// SPDX-License-Identifier: Apache-2.0
// The steps of a convolution in Winograd's form that have vectors of their own: inputs of tiles are transformed, and sums of products
// become outputs. The products between them are jobs of the tile engine. Plain data between the kernel (kernel.cpp) and its bodies for
// instruction sets (steps.inl.h).
#pragma once

#include <cstdint>

#include "core/kernels/epilogue/epilogue_tile.h"

namespace anydim {

constexpr int kWinogradTile = 4, kWinogradSide = kWinogradTile + 2, kWinogradElements = kWinogradSide * kWinogradSide;

// One group of a convolution. A tile's number counts tiles of an image row by row, images one after the other. Strides are in floats.
struct WinogradJob {
  int64_t tiles_y = 0, tiles_x = 0;  // of an image
  int64_t in_y = 0, in_x = 0, out_y = 0, out_x = 0, pad_y = 0, pad_x = 0;
  int64_t channels = 0, outputs = 0;
  const float* src = nullptr;
  int64_t src_n = 0, src_c = 1, src_y = 0, src_x = 0;
  const float* zeros = nullptr;  // as many as there are channels: what lies outside the input
  float* dst = nullptr;
  int64_t dst_n = 0, dst_c = 1, dst_y = 0, dst_x = 0;
  const float* bias = nullptr;  // per output, padded to whole panels; or null
  const EpilogueProgram* program = nullptr;
  const float* operand[kMaxEpilogueOperands] = {};
  int64_t operand_step[kMaxEpilogueOperands][4] = {};  // n, output, y, x
  // The weights as the tile engine reads them in mode strict: panels of all taps and channels.
  const float* panels = nullptr;
  int64_t granule = 1;
};

// Transformed numbers of tiles lie in planes, one for each element of a tile's inputs, and in a plane in rows, one for each tile.
struct WinogradPlanes {
  float* data = nullptr;
  int64_t plane = 0, row = 0;  // floats from one to the next
};

// Rows of a tile whose weights are transformed together: the first, pairs that share their steps, the last.
constexpr int kWinogradGroups = 4, kFirstOfGroup[kWinogradGroups + 1] = {0, 1, 3, 5, 6}, kMostRowsOfGroup = 2;

struct WinogradSteps {
  // Of tiles [first, first + count): rows of as many vectors as the channels fill; lanes behind them are 0.
  void (*transform)(const WinogradJob& job, int64_t first, int64_t count, const WinogradPlanes& to) = nullptr;
  // The weights of outputs [column, column + columns), whole panels of them or all that are left, and of `count` channels from `channel`
  // on: those elements of a tile that lie in a group of its rows, as matrices `plane` floats apart in panels of so many channels.
  void (*transform_weights)(const WinogradJob& job, int group, int64_t column, int64_t columns, int64_t channel, int64_t count, float* to,
                            int64_t plane) = nullptr;
  // Adds `count` rows of `width` floats, whole vectors, that lie one after the other.
  void (*add)(const float* from, float* to, int64_t row, int64_t count, int64_t width) = nullptr;
  // Outputs [column, column + columns) of these tiles, with bias and post-ops. `sums` holds whole vectors from `column` on.
  void (*finish)(const WinogradJob& job, int64_t first, int64_t count, int64_t column, int64_t columns,
                 const WinogradPlanes& sums) = nullptr;
  static const WinogradSteps avx512, avx2, portable;
};

}  // namespace anydim
