// SPDX-License-Identifier: Apache-2.0
// Strided copies: dims are dropped, ordered by the destination and merged first, so that what is left is rows
// (both sides contiguous), a transpose of two dims, a fill, or a loop over single elements.
#include "core/kernels/copy/strided_copy.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/kernels/copy/copy_run.h"

namespace anydim {

namespace {

// Below this a second thread costs more than it helps (a wake-up is some microseconds; a core copies 10 GB/s).
constexpr int64_t kParallelElements = 50000;

// Reorders and merges the dims; false if there is nothing to copy.
bool normalise(StridedCopy* c) noexcept {
  int n = 0;
  for (int i = 0; i < c->rank; ++i) {
    if (c->dims[i] == 0) return false;
    if (c->dims[i] == 1) continue;
    int64_t s = c->src[i], d = c->dst[i];
    if (d < 0) {  // walk the destination forwards
      c->to += d * (c->dims[i] - 1) * c->size;
      c->from += s * (c->dims[i] - 1) * c->size;
      d = -d;
      s = -s;
    }
    c->dims[n] = c->dims[i];
    c->src[n] = s;
    c->dst[n++] = d;
  }
  for (int i = 1; i < n; ++i)  // insertion sort: outermost = largest destination stride
    for (int j = i; j > 0 && c->dst[j] > c->dst[j - 1]; --j) {
      std::swap(c->dims[j], c->dims[j - 1]);
      std::swap(c->src[j], c->src[j - 1]);
      std::swap(c->dst[j], c->dst[j - 1]);
    }
  int m = 0;
  for (int i = 1; i < n; ++i) {
    if (c->src[m] == c->src[i] * c->dims[i] && c->dst[m] == c->dst[i] * c->dims[i]) {
      c->dims[m] *= c->dims[i];
      c->src[m] = c->src[i];
      c->dst[m] = c->dst[i];
    } else {
      ++m;
      c->dims[m] = c->dims[i];
      c->src[m] = c->src[i];
      c->dst[m] = c->dst[i];
    }
  }
  c->rank = n == 0 ? 0 : m + 1;
  while (c->rank < 2) {  // the inner loops want two dims
    for (int i = c->rank; i > 0; --i) {
      c->dims[i] = c->dims[i - 1];
      c->src[i] = c->src[i - 1];
      c->dst[i] = c->dst[i - 1];
    }
    c->dims[0] = 1;
    c->src[0] = c->dst[0] = c->rank == 0 ? 1 : c->dims[1] * c->dst[1];
    ++c->rank;
  }
  return true;
}

// `rows` runs of `bytes`; steps in bytes.
void copy_rows(const std::byte* src, int64_t src_step, std::byte* dst, int64_t dst_step, int64_t rows, int64_t bytes) noexcept {
  with_run_copy(bytes, [&](auto copy) {
    for (int64_t r = 0; r < rows; ++r, src += src_step, dst += dst_step) copy(dst, src, bytes);
  });
}

// n times v. Zeros (and all values of equal bytes) by memset, which knows how to store without reading lines first.
template <class T> void fill(T* dst, T v, int64_t n) noexcept {
  const auto byte = static_cast<unsigned char>(v);
  if (n * static_cast<int64_t>(sizeof(T)) >= 256 && v == static_cast<T>(byte * static_cast<T>(UINT64_C(0x0101010101010101)))) {
    std::memset(dst, byte, static_cast<size_t>(n) * sizeof(T));
    return;
  }
  for (int64_t i = 0; i < n; ++i) dst[i] = v;
}

// Pairs of neighbours, each with its two changed; src is the second of the first pair.
void change_pairs(const uint32_t* src, uint32_t* dst, int64_t pairs) noexcept {
  for (int64_t i = 0; i < pairs; ++i) {
    uint64_t both;
    std::memcpy(&both, src + 2 * i - 1, sizeof both);
    both = both << 32 | both >> 32;
    std::memcpy(dst + 2 * i, &both, sizeof both);
  }
}

// Two dims of single elements; the inner one is the destination's.
template <class T>
void copy_elements(const T* src, int64_t src_outer, int64_t src_inner, T* dst, int64_t dst_outer, int64_t dst_inner, int64_t outer,
                   int64_t inner) noexcept {
  if constexpr (sizeof(T) == 4) {
    if (inner == 2 && src_inner == -1 && dst_inner == 1 && src_outer == 2 && dst_outer == 2) return change_pairs(src, dst, outer);
  }
  // The longer one is the loop.
  constexpr int64_t kShort = 8;
  if (inner < kShort && outer >= 4 * inner && src_inner != 0) {
    for (int64_t i = 0; i < inner; ++i)
      for (int64_t o = 0; o < outer; ++o) dst[o * dst_outer + i * dst_inner] = src[o * src_outer + i * src_inner];
    return;
  }
  for (int64_t o = 0; o < outer; ++o, src += src_outer, dst += dst_outer) {
    if (dst_inner == 1 && src_inner == 0) {
      fill(dst, *src, inner);
    } else if (dst_inner == 1) {
      for (int64_t i = 0; i < inner; ++i) dst[i] = src[i * src_inner];
    } else {
      for (int64_t i = 0; i < inner; ++i) dst[i * dst_inner] = src[i * src_inner];
    }
  }
}

// A square of elements of 1 or 2 bytes, a vector of 16 bytes a line: vectors that every x86-64 and aarch64 has.
template <class T> struct SquareLine;
template <> struct SquareLine<uint8_t> {
  using type = uint8_t __attribute__((vector_size(16)));
  static type low(type a, type b) { return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23); }
  static type high(type a, type b) { return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31); }
};
template <> struct SquareLine<uint16_t> {
  using type = uint16_t __attribute__((vector_size(16)));
  static type low(type a, type b) { return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11); }
  static type high(type a, type b) { return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15); }
};

// In rounds of interleaving the first half's lines with the second's; row i becomes column i. Unrolled by hand: at -O2 the lines
// would lie in memory, which costs four times as much.
template <class T> __attribute__((always_inline)) inline void transpose_square(typename SquareLine<T>::type* lines) noexcept {
  constexpr int kLines = 16 / sizeof(T);
#pragma GCC unroll 4
  for (int round = 1; round < kLines; round *= 2) {
    typename SquareLine<T>::type t[kLines];
#pragma GCC unroll 8
    for (int i = 0; i < kLines / 2; ++i) {
      t[2 * i] = SquareLine<T>::low(lines[i], lines[i + kLines / 2]);
      t[2 * i + 1] = SquareLine<T>::high(lines[i], lines[i + kLines / 2]);
    }
#pragma GCC unroll 16
    for (int i = 0; i < kLines; ++i) lines[i] = t[i];
  }
}

// dst[c * dst_step + r] = src[r * src_step + c] where a square fits; the last ones of a side overlap those before them. 64 elements
// along each side at a time, a power of two of bytes apart by way of a buffer: a column's lines would push each other out of the cache.
template <class T>
void transpose_squares(const T* src, int64_t src_step, T* dst, int64_t dst_step, int64_t rows, int64_t columns) noexcept {
  constexpr int64_t kBlock = 64;
  constexpr int kLines = 16 / sizeof(T);
  T buffer[kBlock * kBlock];
  const bool buffered = dst_step * static_cast<int64_t>(sizeof(T)) % 2048 == 0;
  for (int64_t r0 = 0; r0 < rows; r0 += kBlock)
    for (int64_t c0 = 0; c0 < columns; c0 += kBlock) {
      const int64_t r1 = std::min(r0 + kBlock, rows), c1 = std::min(c0 + kBlock, columns);
      const bool whole = buffered && r1 - r0 == kBlock && c1 - c0 >= kLines;
      T* const to = whole ? buffer : dst + c0 * dst_step + r0;
      const int64_t to_step = whole ? kBlock : dst_step;
      for (int64_t at_c = c0; at_c < c1; at_c += kLines)
        for (int64_t at_r = r0; at_r < r1; at_r += kLines) {
          const int64_t c = std::min(at_c, columns - kLines), r = std::min(at_r, rows - kLines);
          typename SquareLine<T>::type lines[kLines];
#pragma GCC unroll 16
          for (int i = 0; i < kLines; ++i) std::memcpy(&lines[i], src + (r + i) * src_step + c, sizeof lines[i]);
          transpose_square<T>(lines);
#pragma GCC unroll 16
          for (int i = 0; i < kLines; ++i) std::memcpy(to + (c - c0 + i) * to_step + (r - r0), &lines[i], sizeof lines[i]);
        }
      if (!whole) continue;
      for (int64_t c = c0; c < c1; ++c) std::memcpy(dst + c * dst_step + r0, buffer + (c - c0) * kBlock, sizeof(T) * kBlock);
    }
}

// dst[c * dst_step + r] = src[r * src_step + c]
template <int R, class T> void interleave(const T* src, int64_t src_step, T* dst, int64_t dst_step, int64_t columns) noexcept {
  for (int64_t c = 0; c < columns; ++c)
    for (int r = 0; r < R; ++r) dst[c * dst_step + r] = src[r * src_step + c];
}
// Four lines of 4-byte elements, of which four columns at a time are a square.
void interleave_fours(const uint32_t* src, int64_t src_step, uint32_t* dst, int64_t columns) noexcept {
  using Four = uint32_t __attribute__((vector_size(16)));
  int64_t c = 0;
  for (; c + 4 <= columns; c += 4) {
    Four a[4];
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r) std::memcpy(&a[r], src + r * src_step + c, sizeof a[r]);
    const Four low = __builtin_shufflevector(a[0], a[1], 0, 4, 1, 5), low_2 = __builtin_shufflevector(a[2], a[3], 0, 4, 1, 5),
               high = __builtin_shufflevector(a[0], a[1], 2, 6, 3, 7), high_2 = __builtin_shufflevector(a[2], a[3], 2, 6, 3, 7);
    const Four to[4] = {__builtin_shufflevector(low, low_2, 0, 1, 4, 5), __builtin_shufflevector(low, low_2, 2, 3, 6, 7),
                        __builtin_shufflevector(high, high_2, 0, 1, 4, 5), __builtin_shufflevector(high, high_2, 2, 3, 6, 7)};
    std::memcpy(dst + c * 4, to, sizeof to);
  }
  for (; c < columns; ++c)
    for (int r = 0; r < 4; ++r) dst[c * 4 + r] = src[r * src_step + c];
}
// dst[c * dst_step + r] = src[r * src_step + c], c below C.
template <int C, class T> void split(const T* src, int64_t src_step, T* dst, int64_t dst_step, int64_t rows) noexcept {
  for (int64_t r = 0; r < rows; ++r)
#pragma GCC unroll 4
    for (int c = 0; c < C; ++c) dst[c * dst_step + r] = src[r * src_step + c];
}
template <class T>
void transpose_elements(const T* src, int64_t src_step, T* dst, int64_t dst_step, int64_t rows, int64_t columns) noexcept {
  constexpr int64_t kBlock = 16;  // 16 x 16 elements of up to 8 bytes: 2 KB on each side
  for (int64_t c0 = 0; c0 < columns; c0 += kBlock)
    for (int64_t r0 = 0; r0 < rows; r0 += kBlock) {
      const int64_t c1 = std::min(c0 + kBlock, columns), r1 = std::min(r0 + kBlock, rows);
      for (int64_t c = c0; c < c1; ++c)
        for (int64_t r = r0; r < r1; ++r) dst[c * dst_step + r] = src[r * src_step + c];
    }
}
template <class T> void transpose(const T* src, int64_t src_step, T* dst, int64_t dst_step, int64_t rows, int64_t columns) noexcept {
  if constexpr (sizeof(T) == 4) {
    if (rows == 4 && dst_step == 4) return interleave_fours(src, src_step, dst, columns);
  }
  switch (rows) {
    case 2: return interleave<2>(src, src_step, dst, dst_step, columns);
    case 3: return interleave<3>(src, src_step, dst, dst_step, columns);
    case 4: return interleave<4>(src, src_step, dst, dst_step, columns);
    default: break;
  }
  switch (columns) {
    case 2: return split<2>(src, src_step, dst, dst_step, rows);
    case 3: return split<3>(src, src_step, dst, dst_step, rows);
    case 4: return split<4>(src, src_step, dst, dst_step, rows);
    default: break;
  }
  if constexpr (sizeof(T) <= 2) {
    if (std::min(rows, columns) >= static_cast<int64_t>(16 / sizeof(T)))
      return transpose_squares(src, src_step, dst, dst_step, rows, columns);
  }
  transpose_elements(src, src_step, dst, dst_step, rows, columns);
}

// What is done at the two innermost of the dims in their final order.
enum class Inner { rows, transpose, elements };

template <class T> void inner_pair(Inner kind, const std::byte* from, std::byte* to, const StridedCopy& c, const CopyCore& core) noexcept {
  const int o = c.rank - 2, i = c.rank - 1;
  const T* src = reinterpret_cast<const T*>(from);
  T* dst = reinterpret_cast<T*>(to);
  if (kind == Inner::rows) return copy_rows(from, c.src[o] * c.size, to, c.dst[o] * c.size, c.dims[o], c.dims[i] * c.size);
  if (kind == Inner::elements) return copy_elements(src, c.src[o], c.src[i], dst, c.dst[o], c.dst[i], c.dims[o], c.dims[i]);
  // Inner destination dim = rows of the source; the outer of the pair is contiguous in the source.
  if constexpr (sizeof(T) == 4) {
    if (core.transpose4 && c.dims[i] > 4 && c.dims[o] > 4) return core.transpose4(src, c.src[i], dst, c.dst[o], c.dims[i], c.dims[o]);
  }
  if constexpr (sizeof(T) == 1) {
    if (core.join_pixels && c.dims[i] == 3 && c.dst[o] == 3 && c.dims[o] >= 16) return core.join_pixels(src, c.src[i], dst, c.dims[o]);
    if (core.split_pixels && c.dims[o] == 3 && c.src[i] == 3 && c.dims[i] >= 16) return core.split_pixels(src, dst, c.dst[o], c.dims[i]);
  }
  transpose(src, c.src[i], dst, c.dst[o], c.dims[i], c.dims[o]);
}

void run_part(Inner kind, const StridedCopy& c, const CopyCore& core) noexcept {
  auto* step = c.size == 4   ? inner_pair<uint32_t>
               : c.size == 8 ? inner_pair<uint64_t>
               : c.size == 2 ? inner_pair<uint16_t>
                             : inner_pair<uint8_t>;
  const int outer = c.rank - 2;
  int64_t at[kMaxCopyRank] = {};
  const std::byte* from = c.from;
  std::byte* to = c.to;
  for (;;) {
    step(kind, from, to, c, core);
    int a = outer - 1;
    for (; a >= 0; --a) {
      from += c.src[a] * c.size;
      to += c.dst[a] * c.size;
      if (++at[a] < c.dims[a]) break;
      from -= c.src[a] * c.size * c.dims[a];
      to -= c.dst[a] * c.size * c.dims[a];
      at[a] = 0;
    }
    if (a < 0) return;
  }
}

}  // namespace

constinit const CopyCore CopyCore::portable = {nullptr, nullptr, nullptr};

void run_copy(const StridedCopy& copy, const CopyCore& core, const Parallel& parallel) noexcept {
  StridedCopy c = copy;
  if (!normalise(&c)) return;
  const int last = c.rank - 1;
  Inner kind = Inner::elements;
  if (c.src[last] == 1 && c.dst[last] == 1) {
    kind = Inner::rows;
    // Few short runs next to each other: more of them, which lie apart, are a longer loop.
    constexpr int64_t kFewRuns = 8, kShortRun = 64;
    if (last >= 2 && c.dims[last - 1] < kFewRuns && c.dims[last] * c.size <= kShortRun && c.dims[last - 2] >= 4 * c.dims[last - 1]) {
      std::swap(c.dims[last - 1], c.dims[last - 2]);
      std::swap(c.src[last - 1], c.src[last - 2]);
      std::swap(c.dst[last - 1], c.dst[last - 2]);
    }
  } else if (c.dst[last] == 1 && c.src[last] != 0) {
    // The dim that is contiguous in the source, if there is one, becomes the other of the pair.
    for (int a = last - 1; a >= 0; --a) {
      if (c.src[a] != 1 || c.dims[a] < 2) continue;
      kind = Inner::transpose;
      for (int b = a; b < last - 1; ++b) {
        std::swap(c.dims[b], c.dims[b + 1]);
        std::swap(c.src[b], c.src[b + 1]);
        std::swap(c.dst[b], c.dst[b + 1]);
      }
      break;
    }
  }
  int64_t total = 1;
  for (int i = 0; i < c.rank; ++i) total *= c.dims[i];
  if (parallel.threads() == 1 || total < kParallelElements) return run_part(kind, c, core);

  // Cut along the outermost dim if it is long enough, else along the longest.
  int cut = 0;
  if (c.dims[0] < 4 * parallel.threads())
    for (int i = 1; i < c.rank; ++i)
      if (c.dims[i] > c.dims[cut]) cut = i;
  int64_t piece = ceil_div(c.dims[cut], 2 * parallel.threads());
  // Whole cache lines and tiles.
  if (cut == last || (kind == Inner::transpose && cut == last - 1)) piece = round_up(piece, 16);
  parallel.run(ceil_div(c.dims[cut], piece), [&](int64_t task, int) {
    StridedCopy p = c;
    const int64_t first = task * piece;
    p.dims[cut] = std::min(piece, c.dims[cut] - first);
    p.from += first * c.src[cut] * c.size;
    p.to += first * c.dst[cut] * c.size;
    run_part(kind, p, core);
  });
}

}  // namespace anydim
