// SPDX-License-Identifier: Apache-2.0
// Sums of a tile as bytes or as f32, a vector of columns at a time, so that what is one per column stays in registers for all rows
// (docs/decisions/117-what-follows-small-sums.md). tiles.inl.h includes it where there is AVX2, after RowFinish.

#include "core/kernels/eltwise/functions.inl.h"

#ifndef __AVX512F__
// Up to 8 V columns of a tile's rows as bytes, V 1 or 2, without dividing: see quick_number() of bytes_avx512.inl.h. Two rows at once,
// and what is one per column stays in registers. Numbers are those of u8; i8 is moved. False: a number was in doubt, and the bytes are of
// no use.
template <int V, bool kBias>
__attribute__((noinline)) bool finish_bytes_quickly(const int32_t* sums, const RowFinish& f, bool is_signed, int32_t rows, int64_t columns,
                                                    std::byte* const* to, int64_t column) {
  const auto whole = [](const int32_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); };
  const __m256i low = _mm256_set1_epi32((1 << 14) - 4), flip = _mm256_set1_epi8(is_signed ? static_cast<char>(0x80) : '\0');
  const __m256 moved = _mm256_set1_ps(is_signed ? 128.f : 0.f), moved_centre = _mm256_mul_ps(moved, _mm256_set1_ps(0x1p14f));
  __m256i offset[2], clear = low;
  __m256 scale[2], bias[2], quick[2], centre[2];
#pragma GCC unroll 2
  for (int v = 0; v < V; ++v) {
    offset[v] = whole(f.offset + 8 * v);
    if constexpr (kBias) scale[v] = _mm256_loadu_ps(f.scale + 8 * v), bias[v] = _mm256_loadu_ps(f.bias + 8 * v);
    quick[v] = _mm256_loadu_ps(f.quick + 8 * v), centre[v] = _mm256_add_ps(_mm256_loadu_ps(f.centre + 8 * v), moved_centre);
  }
  const auto zeros = [&](int v) { return _mm256_cvtps_epi32(_mm256_add_ps(_mm256_loadu_ps(f.out_zero + 8 * v), moved)); };
  const __m256i least = f.relu ? _mm256_packs_epi32(zeros(0), zeros(V - 1)) : _mm256_setzero_si256();
  const auto words = [&](const int32_t* from) {
    __m256i q[V];
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) {
      __m256 y = _mm256_cvtepi32_ps(_mm256_add_epi32(whole(from + 8 * v), offset[v]));
      if constexpr (kBias) y = _mm256_add_ps(_mm256_mul_ps(y, scale[v]), bias[v]);
      q[v] = _mm256_cvtps_epi32(_mm256_fmadd_ps(y, quick[v], centre[v]));
      clear = _mm256_min_epu32(clear, _mm256_and_si256(q[v], low));
      q[v] = _mm256_srai_epi32(q[v], 14);
    }
    return _mm256_max_epi16(_mm256_packs_epi32(q[0], q[V - 1]), least);
  };
  // A part of a half is stored by way of memory: calls would cost all registers.
  const bool few = columns != 8 * V;
  alignas(16) std::byte tail[kIntTileRows][16];
  for (int32_t r = 0; r < rows; r += 2) {
    const int32_t second = r + 1 < rows ? r + 1 : r;
    // Of each part of 128 bits: four numbers of the first row's first eight and of its second, then the second row's.
    const __m256i bytes = _mm256_xor_si256(_mm256_packus_epi16(words(sums + r * kIntColumns), words(sums + second * kIntColumns)), flip);
    const __m128i low_parts = _mm256_castsi256_si128(bytes), high_parts = _mm256_extracti128_si256(bytes, 1);
    std::byte *const first_to = few ? tail[r] : to[r] + column, *const second_to = few ? tail[second] : to[second] + column;
    const auto store = [](std::byte* at, __m128i row) {
      if constexpr (V == 1) _mm_storel_epi64(reinterpret_cast<__m128i*>(at), row);
      else _mm_storeu_si128(reinterpret_cast<__m128i*>(at), row);
    };
    store(second_to, _mm_unpackhi_epi32(low_parts, high_parts));  // of the first row again, if there is no second one
    store(first_to, _mm_unpacklo_epi32(low_parts, high_parts));
  }
  for (int32_t r = 0; few && r < rows; ++r) store_half(_mm_load_si128(reinterpret_cast<const __m128i*>(tail[r])), columns, to[r] + column);
  const __m256i doubt = _mm256_cmpeq_epi32(clear, _mm256_setzero_si256());
  return _mm256_testz_si256(doubt, doubt) != 0;
}
template <class To>
void finish_bytes_of_rows(const int32_t* sums, RowFinish f, int32_t rows, int64_t columns, std::byte* const* to, int64_t column) {
  static constexpr bool (*kQuickly[2][2])(const int32_t*, const RowFinish&, bool, int32_t, int64_t, std::byte* const*, int64_t) = {
      {finish_bytes_quickly<1, false>, finish_bytes_quickly<1, true>}, {finish_bytes_quickly<2, false>, finish_bytes_quickly<2, true>}};
  for (;; sums += 16, column += 16, columns -= 16) {
    const int64_t there = columns < 16 ? columns : 16;
    if (f.quick == nullptr ||
        __builtin_expect(!kQuickly[there > 8][f.bias != nullptr](sums, f, std::is_signed_v<To>, rows, there, to, column), 0))
      for (int32_t r = 0; r < rows; ++r) finish_bytes<2>(sums + r * kIntColumns, f, there, reinterpret_cast<To*>(to[r] + column));
    if (columns <= 16) return;
    f.offset += 16, f.scale += 16, f.out_scale += 16, f.out_zero += 16;
    if (f.quick != nullptr) f.quick += 16, f.centre += 16;
    if (f.bias != nullptr) f.bias += 16;
  }
}
#endif

// What stands between the real numbers of a tile and its result, where that is one step that registers do, or none.
enum class After : uint8_t { nothing, relu, hard_swish, add, other };
After after_of(const IntBlock& b, bool relu) {
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
inline F32::Int product(F32::Int a, F32::Int b) {
#ifdef __AVX512F__
  return {_mm512_mullo_epi32(a.v, b.v)};
#else
  return {_mm256_mullo_epi32(a.v, b.v)};
#endif
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
      if constexpr (kZero) sum = sum - product(zero, set_int(scale, b.row_sums[at + r]));
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
