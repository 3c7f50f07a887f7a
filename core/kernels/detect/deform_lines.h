// SPDX-License-Identifier: Apache-2.0
// Deformable columns of f32 and f64: one tap at some positions for all channels of a group, one function per instruction set. Includes nothing
// that leaves symbols behind.
#pragma once

#include <cstdint>

namespace anydim {

constexpr int64_t kDeformPositions = 128;

// Channels are neighbours in `x`.
template <class T> struct DeformLine {
  const T* x = nullptr;  // of the group's first channel at 0, 0
  int64_t channels = 0, count = 0;
  // Of each position, four elements and their weights; one of weight 0 is 0 and is not read.
  int64_t offset[4][kDeformPositions];
  T weight[4][kDeformPositions];
  const T* factor = nullptr;  // of each position, or null
  T* to = nullptr;
  int64_t channel_step = 0, position_step = 0;  // elements
};
struct DeformLines {
  void (*floats)(const DeformLine<float>& line) noexcept;
  void (*doubles)(const DeformLine<double>& line) noexcept;
  static const DeformLines avx512, avx2, portable;
};

}  // namespace anydim
