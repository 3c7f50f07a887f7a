// SPDX-License-Identifier: Apache-2.0
// What an instruction set gives to strided copies. Plain declarations only: files built for one instruction set include
// this and nothing else of Anydim, so that no inline function of those files can reach other CPUs.
#pragma once

#include <cstdint>

namespace anydim {

// The instruction-set part; null: plain C++ does it.
struct CopyCore {
  // dst[c * dst_step + r] = src[r * src_step + c] for 4-byte elements.
  void (*transpose4)(const uint32_t* src, int64_t src_step, uint32_t* dst, int64_t dst_step, int64_t rows, int64_t columns) noexcept;
  // At least 16 pixels of three bytes into planes, and back: dst[c * dst_step + i] = src[3 * i + c], dst[3 * i + c] = src[c * src_step + i].
  void (*split_pixels)(const uint8_t* src, uint8_t* dst, int64_t dst_step, int64_t pixels) noexcept;
  void (*join_pixels)(const uint8_t* src, int64_t src_step, uint8_t* dst, int64_t pixels) noexcept;
  static const CopyCore avx512, avx2, portable;
};
// Those of AVX2, which AVX-512 has, too.
struct SplitPixels {
  using Function = void(const uint8_t* src, uint8_t* dst, int64_t dst_step, int64_t pixels) noexcept;
  static Function avx2;
};
struct JoinPixels {
  using Function = void(const uint8_t* src, int64_t src_step, uint8_t* dst, int64_t pixels) noexcept;
  static Function avx2;
};

}  // namespace anydim
