// SPDX-License-Identifier: Apache-2.0
// Numbers of few bits, widened in registers, in plain C++.
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

#include "core/kernels/compressed_matmul/numbers_engine.h"
#include "core/kernels/x86.h"

namespace anydim {
namespace {

#include "core/kernels/simd/portable.h"

// Sums and what they are made of stay in registers. On x86, where the kernels for vectors run, small code counts for more.
constexpr int kTileOfRows = kX86 ? 1 : 4;
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

#include "core/kernels/compressed_matmul/numbers.inl.h"

constexpr NumbersEngine kEngine{"portable", Isa::portable, tile_engine_portable, few_rows, widen};

}  // namespace

const NumbersEngine& numbers_engine_portable() noexcept { return kEngine; }

}  // namespace anydim
