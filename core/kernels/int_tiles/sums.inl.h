// SPDX-License-Identifier: Apache-2.0
// Sums of products of rows and a panel, in vectors of one instruction set. tiles.inl.h includes it and says what is needed before;
// an engine that leaves what follows the sums to another one includes it by itself.
#pragma once

#include <cstdint>
#include <utility>

#include "core/kernels/int_tiles/engine.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

// What sums are of: rows in `segments` pieces of `segment_bytes`, those of a row side by side in the list.
struct SumsOf {
  const std::byte* const* rows;
  int64_t segments, segment_bytes;
};

// R rows times V vectors of columns: all of k.
template <int R, int V> __attribute__((noinline)) void sums_of(const SumsOf& of, const std::byte* panel, int32_t* to) {
  Sums acc[R][V];
#pragma GCC unroll copies(16)
  for (int r = 0; r < R; ++r)
#pragma GCC unroll copies(4)
    for (int v = 0; v < V; ++v) acc[r][v] = Sums::zero();
  for (int64_t segment = 0; segment < of.segments; ++segment) {
    const std::byte* a[R];
#pragma GCC unroll copies(16)
    for (int r = 0; r < R; ++r) a[r] = of.rows[r * of.segments + segment];
    for (int64_t at = 0; at < of.segment_bytes; at += kIntStepBytes, panel += kIntColumns * kIntStepBytes) {
      Sums w[V];
#pragma GCC unroll copies(4)
      for (int v = 0; v < V; ++v) w[v] = Sums::load(panel + v * Sums::kWidth * kIntStepBytes);
#pragma GCC unroll copies(16)
      for (int r = 0; r < R; ++r) {
        const Sums x = Sums::broadcast(a[r] + at);
#pragma GCC unroll copies(4)
        for (int v = 0; v < V; ++v) acc[r][v].dot(x, w[v]);
      }
    }
  }
#pragma GCC unroll copies(16)
  for (int r = 0; r < R; ++r)
#pragma GCC unroll copies(4)
    for (int v = 0; v < V; ++v) acc[r][v].store(to + r * kIntColumns + v * Sums::kWidth);
}

using SumsFunction = void (*)(const SumsOf&, const std::byte*, int32_t*);
template <int V, class Rows> struct ByRows;
template <int V, int... R> struct ByRows<V, std::integer_sequence<int, R...>> {
  static constexpr SumsFunction list[] = {sums_of<R + 1, V>...};
};
constexpr const SumsFunction* kWhole = ByRows<Sums::kVectors, std::make_integer_sequence<int, Sums::kRows>>::list;
constexpr const SumsFunction* kSingle = ByRows<1, std::make_integer_sequence<int, Sums::kRows>>::list;
// One row reads a whole panel in the order of memory: it waits for it more than it multiplies.
constexpr int kPanelVectors = kIntColumns / Sums::kWidth;

// Rows [at, at + rows) of a block times the first `columns` of a panel.
inline void sums_of_panel(const IntBlock& b, int32_t at, int32_t rows, const std::byte* panel, int64_t columns, int32_t* sums) {
  constexpr int kAtOnce = Sums::kVectors * Sums::kWidth;
  const SumsOf of{b.from.rows + at * b.segments, b.segments, b.steps / b.segments * kIntStepBytes};
  if (rows == 1 && columns > kAtOnce) return sums_of<1, kPanelVectors>(of, panel, sums);
  for (int64_t c = 0; c < columns; c += kAtOnce) {
    const SumsFunction* const functions = columns - c <= Sums::kWidth ? kSingle : kWhole;
    functions[rows - 1](of, panel + c * kIntStepBytes, sums + c);
  }
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
