// SPDX-License-Identifier: Apache-2.0
// Numbers of few bits, widened in registers, in plain C++.
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

#include "core/kernels/compressed_matmul/numbers_engine.h"
#include "core/kernels/simd/portable.h"
#include "core/base/cpu.h"

namespace anydim::portable {
namespace {

// Sums and what they are made of stay in registers. On x86, where the kernels for vectors run, small code counts for more.
constexpr int kTileOfRows = is_built_for(Processor::x86) ? 1 : 4;
constexpr bool kUnrollsWords = false;
constexpr int kAhead = 0;  // bytes that are fetched before they are read
// (x & mask) | fill, where they have no bit in common.
inline F32 splice(F32::Int x, int32_t mask, int32_t fill) { return from_bits((x & set_int(F32(), mask)) + set_int(F32(), fill)); }
// No table of 16 numbers.
constexpr bool kHasTable = false;
struct Table {
  explicit Table(float) {}
  F32 operator[](F32::Int) const { return F32::zero(); }
  static F32::Int kept(F32::Int x) { return x; }
};

}  // namespace
}  // namespace anydim::portable

#include "core/kernels/compressed_matmul/numbers.inl.h"

namespace anydim::portable {
namespace {

constexpr NumbersEngine kEngine{&TileEngine::portable, few_rows, widen};

}  // namespace
}  // namespace anydim::portable

namespace anydim {

constinit const NumbersEngine NumbersEngine::portable = portable::kEngine;

}  // namespace anydim
