// SPDX-License-Identifier: Apache-2.0
// The body of depthwise_lines.h over vectors V of one instruction set. Files of sets define before it, in the set's namespace, kPositions,
// whose sums are made together in registers; or, with kSumsInMemory, whose sums V::sums() leaves in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/kernels/conv/bytes/depthwise_lines.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

// The entries [0, count) of a line of input row y, of which entry 0 is that of output position x, and (kTwin) of x + `second`, too.
template <class V, bool kTwin> void make_line(const DepthwiseLines& j, int64_t y, int64_t x, int64_t second, int64_t count, std::byte* to) {
  constexpr int kTaps = V::kTaps;
  const auto mask = V::mask(j.channels);
  const std::byte* const row = j.src + y * j.src_row;
  const auto outside = V::position(V::bytes(j.outside_in_memory), j.is_signed);
  constexpr int64_t kWhole = kTwin ? kTwinChannels : V::kBytes;
  const auto loaded = [&](int64_t position, const auto& load, const auto& outside_load) {
    if (position < 0 || position >= j.in[1]) return outside_load();
    const std::byte* from = row + position * j.src_pixel;
    if (j.src_channel == 1) return load(from, from + kWhole <= j.end ? kWhole : j.channels);
    std::byte apart[V::kBytes] = {};
    for (int64_t c = 0; c < j.channels; ++c) apart[c] = from[c * j.src_channel];
    return load(apart, V::kBytes);
  };
  const auto channels_at = [&](int64_t position) {
    if constexpr (kTwin) {
      const auto part = [&](int64_t at) { return loaded(at, V::part, [&] { return V::part_of(V::bytes(j.outside_in_memory)); }); };
      return V::position(V::joined(part(position), part(position + second * j.stride[1])), j.is_signed);
    } else {
      if (position < 0 || position >= j.in[1]) return outside;
      const auto load = [&](const std::byte* p, int64_t n) { return n == V::kBytes ? V::load(p) : V::load(p, mask); };
      return V::position(loaded(position, load, [] { return V::zero(); }), j.is_signed);
    }
  };
  typename V::Position taps[kTaps];
  int64_t at = x * j.stride[1] - j.pad[1];
  if (j.stride[1] == 1 && j.dilation[1] == 1) {
    // Neighbouring entries share all but one.
#pragma GCC unroll 4
    for (int t = 1; t < kTaps; ++t) taps[t] = channels_at(at + t - 1);
    for (int64_t e = 0; e < count; ++e, ++at, to += kLineVectors * V::kBytes) {
#pragma GCC unroll 4
      for (int t = 1; t < kTaps; ++t) taps[t - 1] = taps[t];
      taps[kTaps - 1] = channels_at(at + kTaps - 1);
      V::put(to, taps);
    }
    return;
  }
  for (int64_t e = 0; e < count; ++e, at += j.stride[1], to += kLineVectors * V::kBytes) {
#pragma GCC unroll 4
    for (int t = 0; t < kTaps; ++t) taps[t] = channels_at(at + t * j.dilation[1]);
    V::put(to, taps);
  }
}

// A kernel row: its weights, and where its lines lie: entries are `apart` bytes apart, 0 where the row is outside.
struct KernelRow {
  const std::byte *line, *weights;
  int64_t apart;
};
struct KernelRows {
  const KernelRow* list;
  int64_t count;
  const int32_t* first;  // what sums begin with, by element of the vectors
  int64_t second;        // of twins: from a position to the one in the second part
};

// P positions from x (of the tile) on, all of whose sums stay in registers. kZero: the weights have zero points, which the sum of the
// taps' numbers is multiplied by.
template <class V, int P, bool kZero>
inline __attribute__((always_inline)) void add_up(const DepthwiseLines& j, const KernelRows& rows, int64_t x,
                                                  typename V::Whole (&acc)[P][kLineVectors]) {
  typename V::Whole of_taps[P][kLineVectors];
#pragma GCC unroll 4
  for (int p = 0; p < P; ++p)
#pragma GCC unroll 4
    for (int v = 0; v < kLineVectors; ++v) {
      acc[p][v] = V::load(rows.first + v * (V::kBytes / 4));
      if constexpr (kZero) of_taps[p][v] = V::zero();
    }
  const int64_t steps = j.steps(), step_entries = j.step_entries();
  [[maybe_unused]] const int64_t fill = steps * V::kTaps - j.kernel[1];
  for (int64_t k = 0; k < rows.count; ++k) {
    const KernelRow row = rows.list[k];
    const std::byte *at = row.line + x * row.apart, *w = row.weights;
    for (int64_t s = 0; s < steps; ++s, at += step_entries * row.apart, w += kLineVectors * V::kBytes) {
      // What fills the last step up is no tap.
      [[maybe_unused]] const auto ones = V::words(s + 1 < steps ? 0x01010101u : 0x01010101u >> (8 * fill));
#pragma GCC unroll 4
      for (int v = 0; v < kLineVectors; ++v) {
        const auto weights = V::load(w + v * V::kBytes);
#pragma GCC unroll 4
        for (int p = 0; p < P; ++p) {
          const auto taps = V::load(at + p * row.apart + v * V::kBytes);
          acc[p][v] = V::dot(acc[p][v], taps, weights);
          if constexpr (kZero) of_taps[p][v] = V::dot(of_taps[p][v], taps, ones);
        }
      }
    }
  }
  if constexpr (kZero) {
#pragma GCC unroll 4
    for (int v = 0; v < kLineVectors; ++v) {
      const auto zero = V::load(j.zero + v * (V::kBytes / 4));
#pragma GCC unroll 4
      for (int p = 0; p < P; ++p) acc[p][v] = V::sub(acc[p][v], V::mul_whole(zero, of_taps[p][v]));
    }
  }
}

using Result = DepthwiseLines::Result;

// --- what follows the sums: all loops over positions and vectors are unrolled, so that these stay in registers -----------------------

template <class V>
inline void store_position(const DepthwiseLines& j, int64_t second, const typename V::Whole (&y)[kLineVectors], std::byte* dst) {
  const auto low = V::pack32(y[0], y[1]), high = V::pack32(y[2], y[3]);
  const auto bytes = j.result == Result::i8 ? V::packs16(low, high) : V::packus16(low, high);
  if (j.channels >= V::kBytes) return V::store(dst, bytes);
  V::store(dst, bytes, V::mask(j.channels));
  if constexpr (V::kBytes == kNarrowChannels)
    if (j.twin) V::store(dst + second * j.dst_pixel, V::swapped(bytes), V::mask(j.channels));
}

template <class V, int P>
inline __attribute__((always_inline)) void to_bytes(const DepthwiseLines& j, int64_t second, typename V::Whole (&acc)[P][kLineVectors],
                                                    std::byte* dst) {
  constexpr int64_t kElements = V::kBytes / 4;
#pragma GCC unroll 4
  for (int v = 0; v < kLineVectors; ++v) {
    const auto zero = V::load(j.out_zero + v * kElements), least = V::load(j.least + v * kElements);
    const auto scale = V::reals(j.scale + v * kElements), out_scale = V::reals(j.out_scale + v * kElements);
#pragma GCC unroll 4
    for (int p = 0; p < P; ++p) {
      auto y = V::mul(V::real(acc[p][v]), scale);
      if (j.bias != nullptr) y = V::add(y, V::reals(j.bias + v * kElements));
      acc[p][v] = V::most(V::add(V::whole(V::div(y, out_scale)), zero), least);
    }
  }
#pragma GCC unroll 4
  for (int p = 0; p < P; ++p) store_position<V>(j, second, acc[p], dst + p * j.dst_pixel);
}
// Without dividing; `clear` says of each position whether a number is in doubt.
template <class V, int P>
inline __attribute__((always_inline)) void to_bytes_quickly(const DepthwiseLines& j, int64_t second,
                                                            typename V::Whole (&acc)[P][kLineVectors], std::byte* dst,
                                                            typename V::Lanes (&clear)[P]) {
  constexpr int64_t kElements = V::kBytes / 4;
#pragma GCC unroll 4
  for (auto& lanes : clear) lanes = V::all_lanes();
#pragma GCC unroll 4
  for (int v = 0; v < kLineVectors; ++v) {
    const auto least = V::load(j.least + v * kElements);
    const auto quick = V::reals(j.quick + v * kElements), centre = V::reals(j.centre + v * kElements);
#pragma GCC unroll 4
    for (int p = 0; p < P; ++p) {
      auto y = V::real(acc[p][v]);
      if (j.bias != nullptr) y = V::add(V::mul(y, V::reals(j.scale + v * kElements)), V::reals(j.bias + v * kElements));
      acc[p][v] = V::most(V::quick_value(V::whole(V::mul_add(y, quick, centre)), &clear[p]), least);
    }
  }
#pragma GCC unroll 4
  for (int p = 0; p < P; ++p) store_position<V>(j, second, acc[p], dst + p * j.dst_pixel);
}
// hard_swish() of functions.inl.h.
template <class V> inline typename V::Real hard_swish_of(typename V::Real x) {
  const auto gate = V::mul_add(x, V::set(0x1.555556p-3f), V::set(0.5f));
  return V::mul(V::greater(V::set(-3.f), x), V::lesser(V::set(1.f), V::greater(V::zero_real(), gate)));
}
// As f32 (kReal), or the sums themselves; `apart` bytes from position to position.
template <class V, int P, bool kReal>
inline __attribute__((always_inline)) void to_words(const DepthwiseLines& j, int64_t second, typename V::Whole (&acc)[P][kLineVectors],
                                                    std::byte* to, int64_t apart) {
  constexpr int64_t kElements = V::kBytes / 4;
  if constexpr (kReal) {
#pragma GCC unroll 4
    for (int v = 0; v < kLineVectors; ++v) {
      const auto scale = V::reals(j.scale + v * kElements);
#pragma GCC unroll 4
      for (int p = 0; p < P; ++p) {
        auto y = V::mul(V::real(acc[p][v]), scale);
        if (j.bias != nullptr) y = V::add(y, V::reals(j.bias + v * kElements));
        if (j.relu) y = V::greater(V::zero_real(), y);  // NaN and -0 stay
        if (j.hard_swish) y = hard_swish_of<V>(y);
        acc[p][v] = V::bits(y);
      }
    }
  }
#pragma GCC unroll 4
  for (int p = 0; p < P; ++p, to += apart) {
    V::put_in_order(acc[p]);
    int64_t left = j.channels;
    std::byte* at = to;
#pragma GCC unroll 4
    for (int v = 0; v < kLineVectors; ++v, left -= kElements, at += V::kBytes) {
      if constexpr (V::kBytes == kNarrowChannels)
        if (v == 2 && j.twin) left = j.channels, at = to + second * apart;
      if (left >= kElements) V::store(at, acc[p][v]);
      else if (left > 0) V::store_few(at, acc[p][v], left);
    }
  }
}

// --- rows of a tile -------------------------------------------------------------------------------------------------

template <class V, int P, bool kZero>
__attribute__((noinline)) void positions_to_bytes(const DepthwiseLines& j, const KernelRows& rows, int64_t x, std::byte* dst) {
  typename V::Whole acc[P][kLineVectors];
  add_up<V, P, kZero>(j, rows, x, acc);
  to_bytes<V, P>(j, rows.second, acc, dst);
}
// Positions in doubt are computed again.
template <class V, int P> void positions_to_bytes_quickly(const DepthwiseLines& j, const KernelRows& rows, int64_t x, std::byte* dst) {
  typename V::Whole acc[P][kLineVectors];
  typename V::Lanes clear[P];
  add_up<V, P, false>(j, rows, x, acc);
  to_bytes_quickly<V, P>(j, rows.second, acc, dst, clear);
#pragma GCC unroll 4
  for (int p = 0; p < P; ++p)
    if (__builtin_expect(V::doubtful(clear[p]), 0)) positions_to_bytes<V, 1, false>(j, rows, x + p, dst + p * j.dst_pixel);
}
template <class V, int P, bool kZero, bool kReal>
void positions_to_words(const DepthwiseLines& j, const KernelRows& rows, int64_t x, std::byte* to, int64_t apart) {
  typename V::Whole acc[P][kLineVectors];
  add_up<V, P, kZero>(j, rows, x, acc);
  to_words<V, P, kReal>(j, rows.second, acc, to, apart);
}

// `count` positions of a tile's row, by kMost, two and one.
template <int kMost, class F> void by_positions(int64_t count, const F& of) {
  int64_t x = 0;
  for (; x + kMost <= count; x += kMost) of(std::integral_constant<int, kMost>{}, x);
  if (kMost > 2 && count - x >= 2) of(std::integral_constant<int, 2>{}, x), x += 2;
  if (x < count) of(std::integral_constant<int, 1>{}, x);
}

template <class V, bool kZero> void row_of_tile(const DepthwiseLines& j, const KernelRows& rows, int64_t h, int64_t x0, int64_t positions) {
  const int64_t count = positions - rows.second;
  std::byte* const dst = j.dst + h * j.dst_row + x0 * j.dst_pixel;
  const bool bytes = j.result == Result::u8 || j.result == Result::i8, tiled = j.tile_results != nullptr;
  const int64_t apart = tiled ? kLineChannels * 4 : j.dst_pixel;
  std::byte* const to = tiled ? j.tile_results : dst;
  if constexpr (kSumsInMemory) {
    alignas(32) int32_t sums[kPositions * V::kBytes];
    if (j.channels < kTwinChannels) __builtin_memset(sums, 0, sizeof sums);
    for (int64_t x = 0; x < count; x += kPositions) {
      V::sums(j, rows, x, sums);
      const int64_t there = count - x < kPositions ? count - x : kPositions;
      const auto load = [&](int64_t p, typename V::Whole(&to)[kLineVectors]) {
#pragma GCC unroll 4
        for (int v = 0; v < kLineVectors; ++v) to[v] = V::load(sums + p * V::kBytes + v * (V::kBytes / 4));
      };
      for (int64_t p = 0; p < there; ++p) {
        typename V::Whole acc[1][kLineVectors];
        load(p, acc[0]);
        if (bytes) {
          std::byte* const at = dst + (x + p) * j.dst_pixel;
          if (j.quick != nullptr) {
            typename V::Lanes clear[1];
            to_bytes_quickly<V, 1>(j, rows.second, acc, at, clear);
            if (__builtin_expect(!V::doubtful(clear[0]), 1)) continue;
            load(p, acc[0]);
          }
          to_bytes<V, 1>(j, rows.second, acc, at);
        } else if (j.result == Result::f32) {
          to_words<V, 1, true>(j, rows.second, acc, to + (x + p) * apart, apart);
        } else {
          to_words<V, 1, false>(j, rows.second, acc, to + (x + p) * apart, apart);
        }
      }
    }
  } else if (bytes) {
    const auto at = [&](int64_t x) { return dst + x * j.dst_pixel; };
    if constexpr (!kZero)
      if (j.quick != nullptr)
        return by_positions<kPositions>(
            count, [&](auto positions, int64_t x) { positions_to_bytes_quickly<V, decltype(positions)::value>(j, rows, x, at(x)); });
    by_positions<kPositions / 2>(
        count, [&](auto positions, int64_t x) { positions_to_bytes<V, decltype(positions)::value, kZero>(j, rows, x, at(x)); });
  } else {
    // The sums of taps take as many registers again; sums as they are are rarely asked for.
    constexpr int kMost = kZero ? kPositions / 2 : kPositions;
    if (j.result == Result::f32)
      by_positions<kMost>(count, [&](auto positions, int64_t x) {
        positions_to_words<V, decltype(positions)::value, kZero, true>(j, rows, x, to + x * apart, apart);
      });
    else
      for (int64_t x = 0; x < count; ++x) positions_to_words<V, 1, kZero, false>(j, rows, x, to + x * apart, apart);
  }
  if (tiled && !bytes) j.take(j.context, h, x0, positions);
}

template <class V, bool kZero> void rows_of_tiles(const DepthwiseLines& j) {
  constexpr int64_t kMostRows = 256;  // of a kernel: more are refused
  constexpr int64_t kEntry = kLineVectors * V::kBytes;
  const int64_t reach = j.reach(), weights = j.steps() * kEntry;
  alignas(64) std::byte outside[kEntry];
  {
    typename V::Position taps[V::kTaps];
#pragma GCC unroll 4
    for (auto& tap : taps) tap = V::position(V::bytes(j.outside_in_memory), j.is_signed);
    V::put(outside, taps);
  }
  const auto line_of = [&](int64_t y, int64_t second, int64_t entries, int64_t x0, std::byte* to) {
    if constexpr (V::kBytes == kNarrowChannels)
      if (j.twin) return make_line<V, true>(j, y, x0, second, entries, to);
    make_line<V, false>(j, y, x0, second, entries, to);
  };
  KernelRow inside_rows[kMostRows], outside_rows[kMostRows];
  alignas(64) int32_t first[kEntry / 4];
  for (int64_t x0 = 0; x0 < j.out_width; x0 += j.tile) {
    const int64_t count = j.out_width - x0 < j.tile ? j.out_width - x0 : j.tile;
    const int64_t second = j.twin ? count / 2 : 0, first_ones = count - second;  // of an odd count one lies in both
    const int64_t entries = j.entries(kSumsInMemory ? (first_ones + kPositions - 1) / kPositions * kPositions : first_ones);
    int64_t made = j.h_begin * j.stride[0] - j.pad[0];  // lines below this one are there
    for (int64_t h = j.h_begin; h < j.h_end; ++h) {
      const int64_t top = h * j.stride[0] - j.pad[0];
      if (made < top) made = top;
      for (; made < top + reach; ++made)
        if (made >= 0 && made < j.in[0] && (j.dilation[0] == 1 || (made - top) % j.dilation[0] == 0 || j.stride[0] % j.dilation[0] != 0))
          line_of(made, second, entries, x0, j.lines + (made + j.pad[0]) % reach * entries * kEntry);
      KernelRows rows{inside_rows, 0, first, second}, beyond{outside_rows, 0, j.offset, 0};
      for (int64_t k = 0; k < j.kernel[0]; ++k) {
        const int64_t y = top + k * j.dilation[0];
        const std::byte* const w = j.weights + k * weights;
        if (y >= 0 && y < j.in[0]) inside_rows[rows.count++] = {j.lines + (y + j.pad[0]) % reach * entries * kEntry, w, kEntry};
        else outside_rows[beyond.count++] = {outside, w, 0};
      }
      // What rows outside add is the same for all positions.
      if (beyond.count == 0) {
        rows.first = j.offset;
      } else {
        typename V::Whole acc[1][kLineVectors];
        add_up<V, 1, kZero>(j, beyond, 0, acc);
#pragma GCC unroll 4
        for (int v = 0; v < kLineVectors; ++v) V::store(first + v * (V::kBytes / 4), acc[0][v]);
      }
      row_of_tile<V, kZero>(j, rows, h, x0, count);
    }
  }
}
template <class V> void rows_of_tiles(const DepthwiseLines& j) {
  if constexpr (V::kTaps == 4)
    if (j.zero != nullptr) return rows_of_tiles<V, true>(j);
  rows_of_tiles<V, false>(j);
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
