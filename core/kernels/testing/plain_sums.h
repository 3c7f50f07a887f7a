// SPDX-License-Identifier: Apache-2.0
// The sums of an integer engine in plain C++, for both forms of rows: pairs of 16 bits and four bytes, which are tested on CPUs without
// VNNI so, too. For tests; plain_pairs.cpp and plain_bytes.cpp make engines of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/kernels/int_tiles/engine.h"

namespace anydim {
namespace {

// Steps of 32 bits that hold numbers of type N times weights of type W; i8 of the left side is moved by Shift, u8 of the right side back.
template <class N, class W, int32_t Shift> struct PlainSums {
  static constexpr int kVectors = 2, kWidth = 8, kRows = 4, kPer = 4 / static_cast<int>(sizeof(N));
  using Value = N;
  using Packed = W;
  static constexpr int32_t kShift = Shift, kPackedShift = Shift;
  int32_t v[kWidth];
  static PlainSums zero() { return {}; }
  static PlainSums load(const std::byte* p) {
    PlainSums s;
    std::memcpy(s.v, p, sizeof s.v);
    return s;
  }
  static PlainSums broadcast(const std::byte* p) {
    PlainSums s;
    for (int32_t& y : s.v) std::memcpy(&y, p, sizeof y);
    return s;
  }
  void dot(const PlainSums& a, const PlainSums& w) {
    for (int i = 0; i < kWidth; ++i) {
      N x[kPer];
      W y[kPer];
      std::memcpy(x, &a.v[i], sizeof x);
      std::memcpy(y, &w.v[i], sizeof y);
      for (int j = 0; j < kPer; ++j) v[i] = static_cast<int32_t>(static_cast<uint32_t>(v[i]) + static_cast<uint32_t>(x[j] * y[j]));
    }
  }
  void store(int32_t* p) const { std::memcpy(p, v, sizeof v); }
  static int32_t of_values(const N* p, int64_t n) {
    int32_t sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += p[i];
    return sum;
  }
  static int64_t depthwise_place(int64_t step, int64_t channel, int64_t tap) { return (step * kIntColumns + channel) * kPer + tap; }
  template <bool Signed>
  static void depthwise(const std::byte* const* taps, int64_t first, int64_t steps, const std::byte* w, int64_t channels, int32_t* to) {
    using From = std::conditional_t<Signed, int8_t, uint8_t>;
    const auto* weights = reinterpret_cast<const W*>(w);
    for (int64_t c = 0; c < kIntColumns; ++c) {
      to[c] = 0;
      for (int64_t t = 0; c < channels && t < steps * kPer; ++t)
        to[c] +=
            (reinterpret_cast<const From*>(taps[t])[first + c] + (Signed ? Shift : 0)) * weights[depthwise_place(t / kPer, c, t % kPer)];
    }
  }
};

}  // namespace
}  // namespace anydim
