// SPDX-License-Identifier: Apache-2.0
// The two steps of a separable resize as plain data: what the driver (lines.cpp) hands to the vector bodies (lines.inl.h). E is float
// or double.
#pragma once

#include <cstdint>

namespace anydim {

constexpr int kMostResizeLanes = 16;

// Elements of a place side by side from which vectors go along them; with fewer they hold a column of several lines, or none are used.
constexpr int64_t kResizeRun = 8;

// Lines in a ring: place p, first <= p < first + count, lies at slot (slot + p - first) mod count, `line` elements each.
template <class E> struct ResizeRing {
  const E* lines;
  int64_t line, count, first, slot;
};

// to[i] = the taps' elements i, weighted and added in order, for n elements.
template <class E> struct ResizeBlend {
  ResizeRing<E> ring;
  const int64_t* place;
  const E* weight;
  int64_t taps, n;
  E* to;
};

// Lines at their output's positions along themselves: position x, from <= x < to, takes the places of the taps begin[x] to begin[x + 1].
template <class E> struct ResizeStretch {
  const int64_t *begin, *place;
  const E* weight;
  int64_t from, to;
  int64_t base, columns;       // places that the lines hold
  int64_t run;                 // elements of a place, side by side
  int64_t src_step, dst_step;  // from place to place; both are `run` where that is below kResizeRun
  int64_t taps;                // of each position, or 0: they differ
  bool single;                 // where run is below kResizeRun: element by element, which suits few lines and few positions
  int lines;
  const E* src[kMostResizeLanes];  // at place `base`
  E* dst[kMostResizeLanes];        // at position `from`
  E* room;                         // lanes * columns * run elements, where vectors hold columns
};

// One instruction set's.
template <class E> struct ResizeLines {
  int lanes;  // lines that stretch() takes at once where run is below kResizeRun
  void (*blend)(const ResizeBlend<E>&) noexcept;
  void (*stretch)(const ResizeStretch<E>&) noexcept;
  // to[c * lanes + i] = src[i][c] for n lines of so many columns, and 0 for the other lanes; and back.
  void (*turn_in)(const E* const* src, int n, int64_t columns, E* to) noexcept;
  void (*turn_out)(const E* from, int n, int64_t columns, E* const* dst) noexcept;
};
struct ResizeFunctions {
  ResizeLines<float> floats;
  ResizeLines<double> doubles;
  static const ResizeFunctions avx512, avx2, portable;
};

}  // namespace anydim
