// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution of bytes over lines whose taps lie side by side: plain numbers between the driver (depthwise_lines.cpp)
// and the body of an instruction set (depthwise_lines.inl.h). Not for anybody outside quantized/.
//
// A line of the input is rewritten once for all output rows that read it. Its entry e holds, for each channel, the numbers at the
// positions e * stride - pad + t * dilation, t = 0..3, as one step of a product wants them: four bytes (VNNI), or two numbers of 16
// bits, t = 0..1 (AVX2). So a row of three taps is one step of bytes, a row of five is two, of entries that are four taps apart. Of 64
// channels (or 32, in vectors of half the width) the bytes are interleaved by unpacking within parts of 128 bits, which leaves channels
// 16 L + 4 j + i in element i of part L of vector j; weights and what is one per channel lie so, and packing the results puts them back in
// order. Kernel rows outside the input are summed once for a row of outputs.
//
// Up to 16 channels would fill half of a narrow block: there the second half of a tile's positions lies in the second part of the vectors
// (`twin`), and what is one per channel is there twice.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/tensor/dtype.h"

namespace anydim {

constexpr int kLineChannels = 64, kNarrowChannels = 32;  // of a block: the narrow one is a network's few, or what is left at the end
constexpr int kTwinChannels = 16;                        // of a block that holds two positions
constexpr int kLineVectors = 4, kLineStepBytes = 4;      // vectors of an entry, bytes of a step of a channel

// Where channel n of a block of `width` channels lies among the 32-bit elements of its vectors.
__attribute__((always_inline)) constexpr int64_t line_place(int64_t width, int64_t n) noexcept {
  return n % 16 / 4 * (width / kLineVectors) + n / 16 * 4 + n % 4;
}

// A band of output rows of a block of channels.
struct DepthwiseLines {
  const std::byte* src = nullptr;  // at row 0, position 0 and the block's first channel
  const std::byte* end = nullptr;  // of what may be read from the input; numbers behind the channels of a block may be anything
  int64_t src_row = 0, src_pixel = 0, src_channel = 1;
  bool is_signed = false;                                                             // i8; as bytes it becomes u8 by adding 128
  int taps = 4;                                                                       // of a step
  int64_t in[2] = {}, kernel[2] = {}, stride[2] = {}, dilation[2] = {}, pad[2] = {};  // h, w
  int64_t out_width = 0, h_begin = 0, h_end = 0;
  int64_t tile = 0;                    // output positions whose lines are made together
  int64_t channels = 0;                // of the block
  bool narrow = false;                 // blocks of kNarrowChannels
  bool twin = false;                   // narrow, of up to kTwinChannels
  uint8_t outside_in_memory = 0;       // what a tap outside counts as
  const std::byte* weights = nullptr;  // by kernel row, step and vector
  const int32_t* zero = nullptr;       // the weights' zero points as packed, by element of the block's vectors; null: all are 0
  std::byte* lines = nullptr;          // reach() lines of entries(tile) entries

  enum class Result : uint8_t { i8, u8, f32, sums } result = Result::sums;
  // What sums begin with and what follows them, by element of the block's vectors. Bytes are tame (IntColumns).
  const int32_t* offset = nullptr;
  const float *scale = nullptr, *bias = nullptr, *out_scale = nullptr;  // bias may be null
  const int32_t *out_zero = nullptr, *least = nullptr;
  const float *quick = nullptr, *centre = nullptr;  // IntColumns::quick, or null; (zero + 1/2) * 2^14 + 1 (quick_value())
  bool relu = false;                                // of f32; of bytes it is in `least`
  bool hard_swish = false;                          // of f32
  std::byte* dst = nullptr;                         // at row 0, position 0 and the block's first channel
  int64_t dst_row = 0, dst_pixel = 0;
  // Instead of dst, for f32 and sums: a tile's numbers, in order, kLineChannels apart, which are `taken` for each tile of a row.
  std::byte* tile_results = nullptr;
  void (*take)(void* context, int64_t h, int64_t x, int64_t count) = nullptr;
  void* context = nullptr;

  __attribute__((always_inline)) int64_t reach() const noexcept { return (kernel[0] - 1) * dilation[0] + 1; }
  __attribute__((always_inline)) int64_t steps() const noexcept { return (kernel[1] + taps - 1) / taps; }
  // From one step's entry to the next's.
  __attribute__((always_inline)) int64_t step_entries() const noexcept { return taps * dilation[1] / stride[1]; }
  __attribute__((always_inline)) int64_t entries(int64_t positions) const noexcept { return positions + (steps() - 1) * step_entries(); }
  __attribute__((always_inline)) int64_t entry_bytes() const noexcept {
    return (narrow ? kNarrowChannels : kLineChannels) * kLineStepBytes;
  }
};
// An instruction set's way.
struct DepthwiseLinesForm {
  void (*run)(const DepthwiseLines& job) noexcept;
  const char* format;   // of packed weights
  int taps;             // of a step
  int64_t channels;     // of a block
  int64_t positions;    // that tiles are whole multiples of
  bool zero_is_packed;  // weights are of 16 bits, less their zero points
  bool takes_zeros;     // of the weights
  static const DepthwiseLinesForm avx512_vnni, avx2_vnni, avx2;
};

}  // namespace anydim
