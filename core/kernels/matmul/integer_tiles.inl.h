// SPDX-License-Identifier: Apache-2.0
// Tiles of products of integers over the compiler's own vectors. Signs do not matter modulo 2^n.
#pragma once

#include <cstdint>
#include <cstring>

#include "core/kernels/matmul/integer_tiles.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX2__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif

template <class T> struct VectorOf { typedef T type __attribute__((vector_size(kVectorBytes))); };
template <class T> using Vec = typename VectorOf<T>::type;

template <class T> __attribute__((always_inline)) inline Vec<T> load_vector(const T* p) {
  Vec<T> v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

// R rows, two vectors of columns at a time: what registers hold.
template <class T, int R> __attribute__((always_inline)) inline void tile_rows(const IntegerTile& t, int64_t row) {
  constexpr int64_t kLanes = kVectorBytes / sizeof(T), kColumns = kIntegerPanel / sizeof(T);
  for (int64_t column = 0; column < kColumns; column += 2 * kLanes) {
    Vec<T> acc[R][2];
    auto* totals = static_cast<T*>(t.totals) + row * kColumns + column;
#pragma GCC unroll copies(4)
    for (int r = 0; r < R; ++r)
#pragma GCC unroll copies(2)
      for (int v = 0; v < 2; ++v) acc[r][v] = t.first ? Vec<T>{} : load_vector(totals + r * kColumns + v * kLanes);
    const T* b = static_cast<const T*>(t.b) + column;
    for (int64_t k = 0; k < t.k; ++k, b += t.b_step) {
      const Vec<T> left = load_vector(b), right = load_vector(b + kLanes);
#pragma GCC unroll copies(4)
      for (int r = 0; r < R; ++r) {
        const Vec<T> a = Vec<T>{} + static_cast<const T*>(t.a[row + r])[k * t.a_step];
        acc[r][0] += a * left;
        acc[r][1] += a * right;
      }
    }
#pragma GCC unroll copies(4)
    for (int r = 0; r < R; ++r)
#pragma GCC unroll copies(2)
      for (int v = 0; v < 2; ++v) std::memcpy(totals + r * kColumns + v * kLanes, &acc[r][v], sizeof acc[r][v]);
  }
}

template <class T> void integer_tile(const IntegerTile& t) noexcept {
  int64_t row = 0;
  for (; row + 4 <= t.rows; row += 4) tile_rows<T, 4>(t, row);
  for (; row < t.rows; ++row) tile_rows<T, 1>(t, row);
}

template <class T> uint64_t integer_dot(const void* left, const void* right, int64_t k) noexcept {
  constexpr int64_t kLanes = kVectorBytes / sizeof(T);
  const auto *a = static_cast<const T*>(left), *b = static_cast<const T*>(right);
  Vec<T> acc{}, other{};
  int64_t i = 0;
  for (; i + 2 * kLanes <= k; i += 2 * kLanes) {
    acc += load_vector(a + i) * load_vector(b + i);
    other += load_vector(a + i + kLanes) * load_vector(b + i + kLanes);
  }
  acc += other;
  T lanes[kLanes], sum = 0;
  std::memcpy(lanes, &acc, sizeof lanes);
  for (const T v : lanes) sum += v;
  for (; i < k; ++i) sum += a[i] * b[i];
  return sum;
}

constexpr IntegerTiles kIntegerTiles = {{integer_tile<uint32_t>, integer_tile<uint64_t>}, {integer_dot<uint32_t>, integer_dot<uint64_t>}};

}  // namespace
}  // namespace anydim::ANYDIM_ISA
