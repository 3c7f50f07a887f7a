// SPDX-License-Identifier: Apache-2.0
// What follows sums in plain loops; see finish.inl.h.
#pragma once

#include <cstdint>

#include "core/kernels/int_tiles/finish.inl.h"

namespace anydim::ANYDIM_ISA {
namespace {

constexpr bool kHasLinesOfBytes = false;
template <class To> void line_of_bytes(bool, const float*, const float*, const float*, To*) {}

inline bool finish_in_registers(const IntBlock&, bool, int32_t, int32_t, int64_t, int64_t, const int32_t*) { return false; }

inline void make_reals(const IntBlock& b, bool relu, int32_t at, int32_t rows, int64_t column, [[maybe_unused]] int64_t columns,
                       int32_t* sums, float* real) {
  const float* const scale = b.column.scale + column;
  for (int32_t r = 0; r < rows; ++r) {
    int32_t* const s = sums + r * kIntColumns;
    float* const y = real + r * kIntColumns;
    add_offsets(b, at + r, column, s);
    if (b.column.bias != nullptr) {
      const float* const bias = b.column.bias + column;
      for (int j = 0; j < kIntColumns; ++j) y[j] = static_cast<float>(s[j]) * scale[j] + bias[j];
    } else {
      for (int j = 0; j < kIntColumns; ++j) y[j] = static_cast<float>(s[j]) * scale[j];
    }
    if (relu)
      for (int j = 0; j < kIntColumns; ++j) y[j] = y[j] < 0.f ? 0.f : y[j];
  }
}

struct TilesAtOnce {
  TilesAtOnce(const IntBlock&, bool, int64_t, int64_t) {}
  bool finish(int32_t, int32_t, int32_t*) const { return false; }
};

}  // namespace
}  // namespace anydim::ANYDIM_ISA
