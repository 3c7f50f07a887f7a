// SPDX-License-Identifier: Apache-2.0
// The integer engine for one instruction set: rows of the left side gathered, panels of the right side packed. tiles.inl.h includes
// it and says what is needed before.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/kernels/int_tiles/engine.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

using Value = Sums::Value;
constexpr int kPerStep = kIntStepBytes / static_cast<int>(sizeof(Value));

// --- gathering ------------------------------------------------------------------------------------------------------

template <class From>
inline __attribute__((always_inline)) void copy_values(const From* __restrict from, int64_t step, int64_t n, Value* __restrict to) {
  constexpr int32_t kMoved = std::is_same_v<From, int8_t> ? Sums::kShift : 0;
  if (step == 1) {
    for (int64_t i = 0; i < n; ++i) to[i] = static_cast<Value>(from[i] + kMoved);
  } else {
    for (int64_t i = 0; i < n; ++i) to[i] = static_cast<Value>(from[i * step] + kMoved);
  }
}
inline void fill_values(Value* to, int64_t n, int32_t value) {
  for (int64_t i = 0; i < n; ++i) to[i] = static_cast<Value>(value);
}

// The taps of an axis that lie inside: [lo, hi).
struct Inside {
  int64_t lo, hi;
};
inline Inside inside(const IntGather& g, int axis, int64_t at) {
  const int64_t d = g.dilation[axis], kernel = g.kernel[axis], in = g.in[axis];
  const auto steps = [d](int64_t n) { return d == 1 ? n : (n + d - 1) / d; };  // a division costs as much as a row of few values
  int64_t lo = at < 0 ? steps(-at) : 0, hi = at < in ? steps(in - at) : 0;
  if (hi > kernel) hi = kernel;
  if (lo > hi) lo = hi;
  return {lo, hi};
}

template <class From> void gather_typed(const IntGather& g, const IntRow& row, std::byte* bytes) {
  auto* to = reinterpret_cast<Value*>(bytes);
  const auto* const base = reinterpret_cast<const From*>(row.base);
  const Inside z = inside(g, 0, row.at[0]), y = inside(g, 1, row.at[1]), x = inside(g, 2, row.at[2]);
  const int64_t kw = g.kernel[2], per_tap = g.planar ? 1 : g.channels, line = g.planar ? g.line : kw * per_tap;
  const int64_t x_step = g.step[2] * g.dilation[2];
  // Neighbouring taps of a line are one run.
  const bool joined = !g.planar && g.channel_step == 1 && x_step == g.channels;
  for (int64_t c = 0; c < (g.planar ? g.channels : 1); ++c)
    for (int64_t kz = 0; kz < g.kernel[0]; ++kz)
      for (int64_t ky = 0; ky < g.kernel[1]; ++ky, to += line) {
        fill_values(to + kw * per_tap, line - kw * per_tap, 0);
        if (kz < z.lo || kz >= z.hi || ky < y.lo || ky >= y.hi || x.lo == x.hi) {
          fill_values(to, kw * per_tap, g.outside);
          continue;
        }
        const From* from = base + c * g.channel_step + (row.at[0] + kz * g.dilation[0]) * g.step[0] +
                           (row.at[1] + ky * g.dilation[1]) * g.step[1] + row.at[2] * g.step[2];
        if (x.lo > 0) fill_values(to, x.lo * per_tap, g.outside);
        if (x.hi < kw) fill_values(to + x.hi * per_tap, (kw - x.hi) * per_tap, g.outside);
        if (g.planar) {
          copy_values(from + x.lo * x_step, x_step, x.hi - x.lo, to + x.lo);
        } else if (joined) {
          copy_values(from + x.lo * x_step, 1, (x.hi - x.lo) * g.channels, to + x.lo * g.channels);
        } else {
          for (int64_t kx = x.lo; kx < x.hi; ++kx) copy_values(from + kx * x_step, g.channel_step, g.channels, to + kx * g.channels);
        }
      }
}

void gather_row(const IntGather& g, const IntRow& row, std::byte* to) {
  const int64_t k = g.channels * g.kernel[0] * g.kernel[1] * (g.planar ? g.line : g.kernel[2]);
  auto* numbers = reinterpret_cast<Value*>(to);
  if (g.dtype == DType::i8) gather_typed<int8_t>(g, row, to);
  else gather_typed<uint8_t>(g, row, to);
  for (int64_t i = k; i < g.steps * kPerStep; ++i) numbers[i] = 0;
}

void sum_rows(const std::byte* const* rows, int32_t count, int64_t steps, int32_t* to) {
  for (int32_t r = 0; r < count; ++r) to[r] = Sums::of_values(reinterpret_cast<const Value*>(rows[r]), steps * kPerStep);
}

// The rows of one line of output positions, of few channels: each line of the input becomes values once, and rows copy their part.
constexpr int64_t kIntLine = 512;  // values

template <int64_t N> inline void copy_parts(const Value* line, int64_t stride, int64_t rows, std::byte* to, int64_t row_bytes) {
  for (int64_t r = 0; r < rows; ++r) __builtin_memcpy(to + r * row_bytes, line + r * stride, N * sizeof(Value));
}
// The first `there` values of N, and zeros. N values are a T.
template <class T, int64_t N>
inline void copy_parts_and_zeros(const Value* line, int64_t stride, int64_t rows, int64_t there, std::byte* to, int64_t row_bytes) {
  static_assert(sizeof(T) == N * sizeof(Value) && N <= 8);
  const T kept = there == N ? ~T{0} : (T{1} << (8 * sizeof(Value) * static_cast<size_t>(there))) - 1;
  for (int64_t r = 0; r < rows; ++r) {
    T part;
    __builtin_memcpy(&part, line + r * stride, sizeof part);
    part &= kept;
    __builtin_memcpy(to + r * row_bytes, &part, sizeof part);
  }
}
template <class From> void gather_lines_typed(const IntGather& g, const IntRow& row, int64_t rows, int64_t stride, std::byte* to) {
  const auto* const base = reinterpret_cast<const From*>(row.base);
  const Inside z = inside(g, 0, row.at[0]), y = inside(g, 1, row.at[1]);
  const int64_t x = row.at[2], width = (rows - 1) * stride + g.line, row_bytes = g.steps * kIntStepBytes;
  const int64_t before = x < 0 ? (-x < width ? -x : width) : 0;
  const int64_t end = g.in[2] - x < width ? (g.in[2] - x > before ? g.in[2] - x : before) : width;
  alignas(64) Value line[kIntLine];
  for (int64_t c = 0; c < g.channels; ++c)
    for (int64_t kz = 0; kz < g.kernel[0]; ++kz)
      for (int64_t ky = 0; ky < g.kernel[1]; ++ky, to += g.line * static_cast<int64_t>(sizeof(Value))) {
        if (kz < z.lo || kz >= z.hi || ky < y.lo || ky >= y.hi) {
          fill_values(line, width, g.outside);
        } else {
          fill_values(line, before, g.outside);
          copy_values(base + c * g.channel_step + (row.at[0] + kz * g.dilation[0]) * g.step[0] +
                          (row.at[1] + ky * g.dilation[1]) * g.step[1] + (x + before) * g.step[2],
                      g.step[2], end - before, line + before);
          fill_values(line + end, width - end, g.outside);
        }
        if (g.sums) {
          if constexpr (sizeof(Value) == 1) {
            if (g.line == 4) copy_parts_and_zeros<uint32_t, 4>(line, stride, rows, g.kernel[2], to, row_bytes);
            if (g.line == 8) copy_parts_and_zeros<uint64_t, 8>(line, stride, rows, g.kernel[2], to, row_bytes);
            if (g.line == 4 || g.line == 8) continue;
          }
          for (int64_t r = 0; r < rows; ++r) {
            auto* const part = reinterpret_cast<Value*>(to + r * row_bytes);
            __builtin_memcpy(part, line + r * stride, static_cast<size_t>(g.kernel[2]) * sizeof(Value));
            fill_values(part + g.kernel[2], g.line - g.kernel[2], 0);
          }
          continue;
        }
        switch (g.line) {
          case 4: copy_parts<4>(line, stride, rows, to, row_bytes); break;
          case 6: copy_parts<6>(line, stride, rows, to, row_bytes); break;
          case 8: copy_parts<8>(line, stride, rows, to, row_bytes); break;
          default:
            for (int64_t r = 0; r < rows; ++r)
              __builtin_memcpy(to + r * row_bytes, line + r * stride, static_cast<size_t>(g.line) * sizeof(Value));
        }
      }
}

// The rows of a kernel of one tap, all inside: channels side by side, of neighbouring rows often one run; or a few planes.
constexpr int64_t kPointPlanes = 16;
template <class From> void gather_points(const IntGather& g, const IntRow& row, int64_t rows, int64_t stride, std::byte* to) {
  const auto* from = reinterpret_cast<const From*>(row.base) + row.at[0] * g.step[0] + row.at[1] * g.step[1] + row.at[2] * g.step[2];
  auto* numbers = reinterpret_cast<Value*>(to);
  const int64_t apart = stride * g.step[2], filled = g.steps * kPerStep;
  if (g.channel_step != 1) {
    for (int64_t c = 0; c < g.channels; ++c) {
      const From* const plane = from + c * g.channel_step;
      for (int64_t r = 0; r < rows; ++r) copy_values(plane + r * apart, 1, 1, numbers + r * filled + c);
    }
    for (int64_t c = g.channels; c < filled; ++c)
      for (int64_t r = 0; r < rows; ++r) numbers[r * filled + c] = 0;
    return;
  }
  if (apart == g.channels && filled == g.channels) return copy_values(from, 1, rows * g.channels, numbers);
  for (int64_t r = 0; r < rows; ++r, from += apart, numbers += filled) {
    copy_values(from, 1, g.channels, numbers);
    for (int64_t i = g.channels; i < filled; ++i) numbers[i] = 0;
  }
}

bool is_point(const IntGather& g, const IntRow& row, int64_t rows, int64_t stride) {
  for (int i = 0; i < 3; ++i)
    if (g.kernel[i] != 1 || row.at[i] < 0 || row.at[i] + (i == 2 ? (rows - 1) * stride : 0) >= g.in[i]) return false;
  return g.channel_step == 1 || g.channels <= kPointPlanes;
}

bool gather_lines(const IntGather& g, const IntRow& row, int64_t rows, int64_t stride, std::byte* to) {
  if (is_point(g, row, rows, stride)) {
    if (g.dtype == DType::i8) gather_points<int8_t>(g, row, rows, stride, to);
    else gather_points<uint8_t>(g, row, rows, stride, to);
    return true;
  }
  // Whole steps are full of lines.
  if (!g.planar || g.dilation[2] != 1 || g.line % kPerStep != 0 || (rows - 1) * stride + g.line > kIntLine) return false;
  if (g.dtype == DType::i8) gather_lines_typed<int8_t>(g, row, rows, stride, to);
  else gather_lines_typed<uint8_t>(g, row, rows, stride, to);
  return true;
}

// --- packing --------------------------------------------------------------------------------------------------------

using Packed = Sums::Packed;
using PackedBits = std::make_unsigned_t<Packed>;

// Numbers of either dtype are (byte ^ flip) - moved.
struct Bytes {
  explicit Bytes(DType t) : flip(t == DType::i8 ? 0x80 : 0), moved(t == DType::i8 ? 128 : Sums::kPackedShift) {}
  uint8_t flip;
  int32_t moved;
};

// A step of a whole panel's columns, side by side in memory; `zero` and `total` have one number of each.
inline void pack_step(const uint8_t* __restrict rows, int64_t row_step, uint8_t flip, const int32_t* __restrict zero,
                      uint32_t* __restrict total, uint32_t* __restrict to) {
  for (int64_t c = 0; c < kIntColumns; ++c) {
    uint32_t word = 0;
#pragma GCC unroll copies(4)
    for (int t = 0; t < kPerStep; ++t) {
      const int32_t v = (rows[t * row_step + c] ^ flip) - zero[c];
      total[c] += static_cast<uint32_t>(v);
      word |= static_cast<uint32_t>(static_cast<PackedBits>(v)) << (8 * static_cast<int>(sizeof(Packed)) * t);
    }
    to[c] = word;
  }
}

// A step of one column.
inline uint32_t pack_word(const uint8_t* from, uint8_t flip, int32_t zero, uint32_t* total) {
  uint32_t word = 0;
  if constexpr (sizeof(Packed) == 1) {  // four bytes at once: added by pairs, and subtracted such that none borrows from the next
    constexpr uint32_t kEach = 0x01010101, kPairs = 0x00ff00ff, kTop = 0x80808080;
    const uint32_t less = static_cast<uint8_t>(zero) * kEach;
    std::memcpy(&word, from, sizeof(word));
    word ^= flip * kEach;
    const uint32_t pairs = (word & kPairs) + (word >> 8 & kPairs);
    *total += (pairs & 0xffff) + (pairs >> 16) - kPerStep * static_cast<uint32_t>(zero);
    word = ((word | kTop) - (less & ~kTop)) ^ ((word ^ ~less) & kTop);
  } else {
#pragma GCC unroll copies(4)
    for (int t = 0; t < kPerStep; ++t) {
      const int32_t v = (from[t] ^ flip) - zero;
      *total += static_cast<uint32_t>(v);
      word |= static_cast<uint32_t>(static_cast<PackedBits>(v)) << (8 * static_cast<int>(sizeof(Packed)) * t);
    }
  }
  return word;
}

// One column value by value, from value `at` on; `from`: the column, or null where there is none. Cold, to be small: vectors of
// such loops would be no faster.
__attribute__((noinline)) void pack_column(const IntPack& p, const uint8_t* from, int64_t at, int64_t end, uint8_t flip, int32_t zero,
                                           Packed* to, uint32_t* total) {
  const auto put = [&](int64_t k, int32_t v) { to[k / kPerStep * kIntColumns * kPerStep + k % kPerStep] = static_cast<Packed>(v); };
  int64_t inner = at, in_line = 0;
  for (int64_t k = at; k < p.k && from != nullptr; ++k) {
    const int32_t v = (from[inner * p.inner_step] ^ flip) - zero;
    put(at++, v);
    *total += static_cast<uint32_t>(v);
    if (++inner == p.inner) inner = 0, from += p.outer_step;
    if (p.line == 0 || ++in_line < p.line) continue;
    for (in_line = 0; at % p.padded_line != 0; ++at) put(at, 0);
  }
  for (; at < end; ++at) put(at, 0);
}

void pack_panels(const IntPack& p) {
  const auto* const w = reinterpret_cast<const uint8_t*>(p.w);
  const Bytes bytes(p.dtype);
  const int64_t numbers = p.line == 0 ? p.k : p.k / p.line * p.padded_line, steps = (numbers + kPerStep - 1) / kPerStep;
  // Columns that lie side by side in memory are packed together, columns that are each a run step by step.
  const bool even = p.line == 0 && p.inner >= p.k, runs = even && p.inner_step == 1;
  for (int64_t panel = p.panel_begin; panel < p.panel_end; ++panel) {
    auto* const words = reinterpret_cast<uint32_t*>(p.panels) + panel * steps * kIntColumns;
    const int64_t first = panel * kIntColumns, n = p.columns - first < kIntColumns ? p.columns - first : kIntColumns;
    const bool together = even && p.column_step == 1 && n == kIntColumns;
    const int64_t whole = together || runs ? p.k / kPerStep : 0;
    int32_t zero[kIntColumns];
    uint32_t total[kIntColumns];
    for (int64_t c = 0; c < kIntColumns; ++c) {
      zero[c] = bytes.moved + (p.zero != nullptr && c < n ? p.zero[first + c] : 0);
      total[c] = 0;
      asm volatile("" ::: "memory");  // a vector would be no faster, and large
    }
    for (int64_t s = 0; s < whole && together; ++s)
      pack_step(w + first + s * kPerStep * p.inner_step, p.inner_step, bytes.flip, zero, total, words + s * kIntColumns);
    for (int64_t s = 0; s < whole && !together; ++s)  // each line of words once
      for (int64_t c = 0; c < n; ++c) {
        words[s * kIntColumns + c] = pack_word(w + (first + c) * p.column_step + s * kPerStep, bytes.flip, zero[c], &total[c]);
        asm volatile("" ::: "memory");
      }
    for (int64_t c = 0; c < kIntColumns; ++c) {
      const uint8_t* const from = c < n ? w + (first + c) * p.column_step : nullptr;
      const int64_t at = c < n ? whole * kPerStep : 0;
      if (at < steps * kPerStep)
        pack_column(p, from, at, steps * kPerStep, bytes.flip, zero[c], reinterpret_cast<Packed*>(words + c), &total[c]);
      p.sums[first + c] = static_cast<int32_t>(total[c]);
    }
  }
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
