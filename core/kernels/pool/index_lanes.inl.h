// SPDX-License-Identifier: Apache-2.0
// The body of index_lanes.h: plain loops over 16 lanes, which become vectors. Elements are compared as whole numbers of the same order, NaN
// above all and +0 above -0, so that the first winner in the order of taps stays by a plain comparison.
#pragma once

#include "core/kernels/pool/index_lanes.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

inline int64_t larger_place(int64_t a, int64_t b) { return a > b ? a : b; }
inline int64_t smaller_place(int64_t a, int64_t b) { return a < b ? a : b; }

// Takes the lanes of `bits` that are better. A key of the least number is no element's.
inline void take(const int32_t (&bits)[kIndexLanes], const int32_t (&there)[kIndexLanes], int64_t place, IndexBest* best) noexcept {
  constexpr int32_t kInfinity = 0x7f800000;
  int32_t better[kIndexLanes];
  for (int l = 0; l < kIndexLanes; ++l) {
    const int32_t plain = bits[l] ^ (bits[l] >> 31 & INT32_MAX);
    const int32_t key = (bits[l] & INT32_MAX) > kInfinity ? INT32_MAX : plain;
    better[l] = -static_cast<int32_t>((key > best->key[l]) & there[l]);
    best->key[l] = (key & better[l]) | (best->key[l] & ~better[l]);
    best->bits[l] = (bits[l] & better[l]) | (best->bits[l] & ~better[l]);
  }
  for (int l = 0; l < kIndexLanes; ++l) {
    const int64_t taken = better[l];
    best->place[l] = (place & taken) | (best->place[l] & ~taken);
  }
}

inline int64_t taps_of(int64_t n, int64_t dilation) noexcept {
  return dilation == 1 ? n : (n > 0 ? (n - 1) / dilation + 1 : -(-n / dilation));
}  // divisions cost more than a tap

inline void index_lanes(const IndexPool& p, const int32_t* x, const IndexWindows& windows, IndexBest* best) noexcept {
  for (int l = 0; l < kIndexLanes; ++l) {
    best->key[l] = INT32_MIN;
    best->bits[l] = static_cast<int32_t>(0xff800000u);
    best->place[l] = -1;
  }
  int64_t lo[2], hi[2];
  for (int a = 0; a < 2; ++a) {
    lo[a] = larger_place(taps_of(-windows.first[a], p.dilation[a]), 0);
    hi[a] = smaller_place(taps_of(p.in[a] - windows.first[a], p.dilation[a]), p.kernel[a]);
  }
  // Along the row: those taps that any of the lanes has inside.
  const int64_t low = windows.at[0], high = windows.at[kIndexLanes - 1];
  const int64_t left = larger_place(taps_of(-high, p.dilation[2]), 0);
  const int64_t right = smaller_place(taps_of(p.in[2] - low, p.dilation[2]), p.kernel[2]);
  for (int64_t kz = lo[0]; left < right && kz < hi[0]; ++kz)
    for (int64_t ky = lo[1]; ky < hi[1]; ++ky) {
      const int64_t z = windows.first[0] + kz * p.dilation[0], y = windows.first[1] + ky * p.dilation[1];
      const int32_t* const row = x + z * p.src_s[0] + y * p.src_s[1];
      for (int64_t kx = left; kx < right; ++kx) {
        const int64_t step = kx * p.dilation[2];
        int32_t bits[kIndexLanes], there[kIndexLanes];
        if (low + step >= 0 && high + step < p.in[2]) {
          const int32_t* const first = row + windows.from[0] + low + step;
          if (windows.apart == 1) {
            __builtin_memcpy(bits, first, sizeof bits);
          } else if (windows.apart == 2 && high + step + 1 < p.in[2]) {
            int32_t all[2 * kIndexLanes];
            __builtin_memcpy(all, first, sizeof all);
            for (int l = 0; l < kIndexLanes; ++l) bits[l] = all[2 * l];
          } else {
            for (int l = 0; l < kIndexLanes; ++l) bits[l] = row[windows.from[l] + (windows.at[l] + step) * p.src_s[2]];
          }
          for (int32_t& one : there) one = 1;
        } else {
          for (int l = 0; l < kIndexLanes; ++l) {
            const int64_t i = windows.at[l] + step;
            there[l] = i >= 0 && i < p.in[2];
            bits[l] = row[windows.from[l] + smaller_place(larger_place(i, 0), p.in[2] - 1) * p.src_s[2]];
          }
        }
        // And the lane's own place, which is added at the end.
        take(bits, there, z * p.place[0] + y * p.place[1] + step * p.place[2], best);
      }
    }
  for (int l = 0; l < kIndexLanes; ++l)
    if (best->key[l] != INT32_MIN) best->place[l] += windows.at[l] * p.place[2];
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
