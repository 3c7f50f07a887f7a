// SPDX-License-Identifier: Apache-2.0
// The integer engine in plain C++: two products of 16-bit values per step.
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <cstring>

#include "core/kernels/int_tiles/engine.h"
#include "core/kernels/simd/portable.h"

namespace anydim::portable {
namespace {

struct Sums {
  static constexpr int kVectors = 2, kWidth = 8, kRows = 4;
  using Value = int16_t;
  using Packed = int16_t;
  static constexpr int32_t kShift = 0, kPackedShift = 0;
  int32_t v[kWidth];
  static Sums zero() { return {}; }
  static Sums load(const std::byte* p) {
    Sums s;
    std::memcpy(s.v, p, sizeof s.v);
    return s;
  }
  static Sums broadcast(const std::byte* p) {
    Sums s;
    int32_t x;
    std::memcpy(&x, p, sizeof x);
    for (int32_t& y : s.v) y = x;
    return s;
  }
  // A pair of products is less than 2^17; their sum wraps.
  void dot(const Sums& a, const Sums& w) {
    for (int i = 0; i < kWidth; ++i) {
      int16_t x[2], y[2];
      std::memcpy(x, &a.v[i], sizeof x);
      std::memcpy(y, &w.v[i], sizeof y);
      v[i] = static_cast<int32_t>(static_cast<uint32_t>(v[i]) + static_cast<uint32_t>(x[0] * y[0] + x[1] * y[1]));
    }
  }
  void store(int32_t* p) const { std::memcpy(p, v, sizeof v); }
  static int32_t of_values(const int16_t* p, int64_t n) {
    uint32_t sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += static_cast<uint32_t>(static_cast<int32_t>(p[i]));
    return static_cast<int32_t>(sum);
  }

  // As in AVX2: the two taps of a channel lie side by side.
  static int64_t depthwise_place(int64_t step, int64_t channel, int64_t tap) { return (step * kIntColumns + channel) * 2 + tap; }
  template <bool Signed>
  static void depthwise(const std::byte* const* taps, int64_t first, int64_t steps, const std::byte* w, int64_t channels, int32_t* to) {
    int32_t acc[kIntColumns] = {};
    const auto* weights = reinterpret_cast<const int16_t*>(w);
    using From = std::conditional_t<Signed, int8_t, uint8_t>;
    const int64_t count = channels < kIntColumns ? channels : kIntColumns;
    for (int64_t s = 0; s < steps; ++s, taps += 2, weights += 2 * kIntColumns) {
      const auto *a = reinterpret_cast<const From*>(taps[0]) + first, *b = reinterpret_cast<const From*>(taps[1]) + first;
      for (int64_t c = 0; c < count; ++c) acc[c] += a[c] * weights[2 * c] + b[c] * weights[2 * c + 1];
    }
    for (int c = 0; c < kIntColumns; ++c) to[c] = acc[c];
  }
};

}  // namespace
}  // namespace anydim::portable

#include "core/kernels/int_tiles/finish_plain.inl.h"
#include "core/kernels/int_tiles/tiles.inl.h"

namespace anydim {

constinit const IntEngine IntEngine::portable = {portable::kPerStep,  portable::Sums::kShift, portable::Sums::kPackedShift,
                                                 portable::run_block, portable::gather_row,   portable::gather_lines,
                                                 portable::sum_rows,  portable::pack_panels};
void PackIntDepthwise::portable(const IntDepthwisePack& p) noexcept { portable::pack_depthwise(p); }

}  // namespace anydim
