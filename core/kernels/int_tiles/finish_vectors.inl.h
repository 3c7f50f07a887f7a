// SPDX-License-Identifier: Apache-2.0
// Sums of a tile as f32, a vector of columns at a time, so that what is one per column stays in registers for all rows
// (docs/decisions/117-what-follows-small-sums.md): what the sets with AVX2 share.
#pragma once

#include <cstdint>

#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/int_tiles/finish.inl.h"
#include "core/kernels/simd/bytes_avx2.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

using avx2::finish_row;
using avx2::RowFinish;

// Real numbers, divided or not, to bytes; NaN gives 0.
constexpr bool kHasLinesOfBytes = true;
template <class To> inline void line_of_bytes(bool divides, const float* scale, const float* zero, const float* y, To* out) {
  for (int j = 0; j < kIntColumns; j += 8) {
    __m256 r = _mm256_loadu_ps(y + j);
    if (divides) r = _mm256_div_ps(r, _mm256_loadu_ps(scale + j));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(out + j), avx2::to_eight<To>(r, _mm256_loadu_ps(zero + j)));
  }
}

inline RowFinish finish_of(const IntBlock& b, int64_t column, bool relu) {
  return {b.column.offset + column,
          b.column.zero != nullptr ? b.column.zero + column : nullptr,
          0,
          b.column.scale + column,
          b.column.bias != nullptr ? b.column.bias + column : nullptr,
          b.divides ? b.column.out_scale + column : nullptr,
          b.column.out_zero + column,
          relu,
          b.column.quick != nullptr ? b.column.quick + column : nullptr,
          b.column.quick != nullptr ? b.column.centre + column : nullptr};
}

// What stands between the real numbers of a tile and its result, where that is one step that registers do, or none.
enum class After : uint8_t { nothing, relu, hard_swish, add, other };
inline After after_of(const IntBlock& b, bool relu) {
  const EpilogueProgram& p = *b.program;
  if (p.count == 0) return After::nothing;
  if (relu) return After::relu;
  const EpilogueStep& s = p.steps[0];
  if (p.count > 1) return After::other;
  if (s.kind == PostOp::Kind::unary) return s.unary == UnaryFunction::hard_swish ? After::hard_swish : After::other;
  const OperandWalk& walk = p.walks[s.operand];
  const bool adds = s.kind == PostOp::Kind::binary && s.binary == BinaryFunction::add && s.scale == 1.f;
  return adds && walk.by_row && walk.column_step == 1 && walk.columns == nullptr ? After::add : After::other;
}

// A tile as f32, columns side by side: of each vector of columns all rows, so that what is one per column stays in registers.
template <After kAfter, bool kZero>
__attribute__((noinline)) void reals_of_tile(const IntBlock& b, int32_t at, int32_t rows, int64_t column, int64_t columns,
                                             const int32_t* sums) {
  constexpr int kWidth = F32::kWidth;
  const auto whole = [](const int32_t* p) { return bits(F32::load(reinterpret_cast<const float*>(p))); };
  const float* const* const operand = kAfter == After::add ? b.operands[b.program->steps[0].operand] + at : nullptr;
  for (int64_t c = column; c < column + columns; c += kWidth, sums += kWidth) {
    const int n = static_cast<int>(column + columns - c < kWidth ? column + columns - c : kWidth);
    const F32::Int offset = whole(b.column.offset + c), zero = whole((kZero ? b.column.zero : b.column.offset) + c);
    const F32 scale = F32::load(b.column.scale + c);
    const F32 bias = b.column.bias != nullptr ? F32::load(b.column.bias + c) : F32::set(-0.f);  // -0 leaves every number as it is
    // With AVX2 a part of a vector is stored by way of memory: calls would cost all registers.
    constexpr bool kMasks = kWidth == 16;
    const bool few = !kMasks && n < kWidth;
    alignas(64) float tail[kMasks ? 1 : kIntTileRows][kWidth];
    if (kAfter == After::add && few)
      for (int32_t r = 0; r < rows; ++r) __builtin_memcpy(tail[r], operand[r] + c, static_cast<size_t>(n) * sizeof(float));
    for (int32_t r = 0; r < rows; ++r) {
      F32::Int sum = whole(sums + r * kIntColumns) + offset;
      if constexpr (kZero) sum = sum - zero * set_int(scale, b.row_sums[at + r]);
      F32 y = to_float(sum) * scale + bias;
      if constexpr (kAfter == After::relu) y = relu(y);
      if constexpr (kAfter == After::hard_swish) y = hard_swish(y);
      if constexpr (kAfter == After::add)
        y = y + (few ? F32::load(tail[r]) : kMasks ? F32::load_partial(operand[r] + c, n) : F32::load(operand[r] + c));
      float* const to = few ? tail[r] : reinterpret_cast<float*>(b.dst[at + r]) + c;
      if (kMasks && n < kWidth) y.store_partial(to, n);
      else y.store(to);
    }
    for (int32_t r = 0; few && r < rows; ++r)
      __builtin_memcpy(reinterpret_cast<float*>(b.dst[at + r]) + c, tail[r], static_cast<size_t>(n) * sizeof(float));
  }
}

// f32 behind at most one short step, columns side by side. False: something else follows the sums.
inline bool finish_as_reals(const IntBlock& b, bool relu, int32_t at, int32_t rows, int64_t column, int64_t columns, const int32_t* sums) {
  const bool zero = b.column.zero != nullptr;
  using Function = void (*)(const IntBlock&, int32_t, int32_t, int64_t, int64_t, const int32_t*);
  static constexpr Function functions[][2] = {{reals_of_tile<After::nothing, false>, reals_of_tile<After::nothing, true>},
                                              {reals_of_tile<After::relu, false>, reals_of_tile<After::relu, true>},
                                              {reals_of_tile<After::hard_swish, false>, reals_of_tile<After::hard_swish, true>},
                                              {reals_of_tile<After::add, false>, reals_of_tile<After::add, true>}};
  const After after = after_of(b, relu);
  if (after == After::other) return false;
  functions[static_cast<int>(after)][zero](b, at, rows, column, columns, sums);
  return true;
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
