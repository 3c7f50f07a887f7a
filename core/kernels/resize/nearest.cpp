// SPDX-License-Identifier: Apache-2.0
// Nearest resize as copies; see nearest.h.
#include "core/kernels/resize/nearest.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/kernels/eltwise/elements.h"
#include "core/kernels/resize/reference.h"
#include "core/kernels/resize/taps.h"

namespace anydim {

namespace {

constexpr int64_t kParallelElements = 50000;

// An axis of the output, steps in bytes. `index` is null where the axis is copied.
struct AxisWalk {
  int64_t dim = 1, src = 0, dst = 0;
  const int64_t* index = nullptr;
  bool doubled = false;  // index[x] is x / 2
  int64_t from(int64_t x) const noexcept { return (index ? index[x] : x) * src; }
};

struct Walk {
  int rank = 0;
  AxisWalk axis[kMaxRank + 2];
  int64_t size = 4, run = 0;  // run: bytes contiguous on both sides, or 0: single elements
};

// Each of n neighbours twice, by vectors that every x86-64 and aarch64 has.
template <class T, size_t... kLane>
void copy_doubled(const std::byte* src, std::byte* dst, int64_t n, std::index_sequence<kLane...>) noexcept {
  constexpr int64_t kLanes = sizeof...(kLane);
  typedef T Vector __attribute__((vector_size(16)));
  int64_t x = 0;
  for (; x + kLanes <= n; x += kLanes) {
    Vector v;
    std::memcpy(&v, src + x * static_cast<int64_t>(sizeof(T)), sizeof v);
    const Vector both[2] = {__builtin_shufflevector(v, v, (kLane / 2)...), __builtin_shufflevector(v, v, (kLanes / 2 + kLane / 2)...)};
    std::memcpy(dst + 2 * x * static_cast<int64_t>(sizeof(T)), both, sizeof both);
  }
  for (; x < n; ++x) {
    T both[2];
    std::memcpy(&both[0], src + x * static_cast<int64_t>(sizeof(T)), sizeof(T));
    both[1] = both[0];
    std::memcpy(dst + 2 * x * static_cast<int64_t>(sizeof(T)), both, sizeof both);
  }
}

template <class T> void copy_single(const std::byte* src, std::byte* dst, const AxisWalk& a) noexcept {
  if (a.doubled) return copy_doubled<T>(src, dst, a.dim / 2, std::make_index_sequence<16 / sizeof(T)>());
  for (int64_t x = 0; x < a.dim; ++x) std::memcpy(dst + x * a.dst, src + a.from(x), sizeof(T));
}

void copy_line(const Walk& w, const std::byte* src, std::byte* dst) noexcept {
  const AxisWalk& a = w.axis[w.rank - 1];
  if (w.run == 0) {
    switch (w.size) {
      case 1: return copy_single<uint8_t>(src, dst, a);
      case 2: return copy_single<uint16_t>(src, dst, a);
      case 4: return copy_single<uint32_t>(src, dst, a);
      default: return copy_single<uint64_t>(src, dst, a);
    }
  }
  for (int64_t x = 0; x < a.dim; ++x) {
    const std::byte* s = src + a.from(x);
    std::byte* d = dst + x * a.dst;
    if (w.run >= 16 && w.run <= 1024) {  // no call for the channels of one pixel
      int64_t i = 0;
      for (; i + 16 <= w.run; i += 16) std::memcpy(d + i, s + i, 16);
      if (i < w.run) std::memcpy(d + w.run - 16, s + w.run - 16, 16);
    } else {
      std::memcpy(d, s, static_cast<size_t>(w.run));
    }
  }
}

// Positions outside the input, which tf_crop_and_resize has, were copied from the nearest element: they become extrapolation_value.
void extrapolate(const Args& args) noexcept {
  const auto& op = *static_cast<const Resize*>(args.op);
  const TensorView &src = args.in[0], &dst = args.out[0];
  std::byte value[8];
  store_extrapolated(op, dst.dtype, value);
  const auto size = static_cast<size_t>(dtype_size(dst.dtype));
  for (int a = 0; a < dst.dims.rank; ++a) {
    const Resize::Axis map = op.axis(a, src.dims, dst.dims, args.dim_attributes);
    for (int64_t x = 0; x < dst.dims[a] && !map.identity; ++x) {
      if (!resize_taps<float>(op, map, x).outside) continue;
      TensorView slab = dst;
      slab.data = dst.as<std::byte>() + x * dst.strides[a] * static_cast<int64_t>(size);
      slab.dims[a] = 1;
      Walker w[1] = {walker(slab, slab.dims)};
      for_each_element(slab.dims, w, [&] { std::memcpy(w[0].at, value, size); });
    }
  }
}

}  // namespace

int64_t nearest_scratch(const Dims& out) noexcept {
  int64_t n = 0;
  for (int64_t d : out) n = saturating_add(n, d);
  return saturating_mul(n, 8);
}

void run_nearest(const Args& args) noexcept {
  const auto& op = *static_cast<const Resize*>(args.op);
  const TensorView &src = args.in[0], &dst = args.out[0];
  if (dst.count() == 0) return;
  Walk w;
  w.size = dtype_size(dst.dtype);
  auto* table = static_cast<int64_t*>(args.scratch);
  int order[kMaxRank];
  for (int i = 0; i < dst.dims.rank; ++i) {  // outermost in the destination's memory first
    int k = i;
    for (; k > 0 && dst.strides[order[k - 1]] < dst.strides[i]; --k) order[k] = order[k - 1];
    order[k] = i;
  }
  w.rank = 2;  // two axes of one element, so that there always are a row axis and a line axis
  for (int k = 0; k < dst.dims.rank; ++k) {
    const int i = order[k];
    AxisWalk& a = w.axis[w.rank++];
    a = {dst.dims[i], src.strides[i] * w.size, dst.strides[i] * w.size, nullptr, false};
    const Resize::Axis map = op.axis(i, src.dims, dst.dims, args.dim_attributes);
    if (map.identity) continue;
    for (int64_t x = 0; x < a.dim; ++x) table[x] = resize_taps<float>(op, map, x).index[0];
    a.index = table;
    a.doubled = a.src == w.size && a.dst == w.size && a.dim % 2 == 0;
    for (int64_t x = 0; a.doubled && x < a.dim; ++x) a.doubled = table[x] == x / 2;
    table += a.dim;
  }
  const AxisWalk& last = w.axis[w.rank - 1];
  if (last.index == nullptr && last.src == w.size && last.dst == w.size && w.rank > 2) {
    w.run = last.dim * w.size;
    --w.rank;
  }
  const AxisWalk line = w.axis[w.rank - 1], row = w.axis[w.rank - 2];
  const int64_t line_bytes = w.run ? (line.dst == w.run ? line.dim * w.run : 0) : (line.dst == w.size ? line.dim * w.size : 0);
  int64_t outer = 1;
  for (int k = 0; k < w.rank - 2; ++k) outer *= w.axis[k].dim;

  // A task is some rows of one outer index: rows are many for images, outer indices for planes.
  const int threads = dst.count() < kParallelElements ? 1 : args.parallel.threads();
  const int64_t pieces = threads == 1 ? 1 : std::min(row.dim, ceil_div(4 * threads, outer));
  const int64_t rows = ceil_div(row.dim, pieces);
  auto task = [&](int64_t t, int) {
    const std::byte* from = src.as<const std::byte>();
    std::byte* to = dst.as<std::byte>();
    int64_t rest = t / pieces;
    for (int k = w.rank - 3; k >= 0; --k) {
      const int64_t x = rest % w.axis[k].dim;
      rest /= w.axis[k].dim;
      from += w.axis[k].from(x);
      to += x * w.axis[k].dst;
    }
    const int64_t begin = t % pieces * rows, end = std::min(begin + rows, row.dim);
    for (int64_t y = begin; y < end; ++y) {
      std::byte* d = to + y * row.dst;
      if (y > begin && line_bytes > 0 && row.index != nullptr && row.index[y] == row.index[y - 1])
        std::memcpy(d, d - row.dst, static_cast<size_t>(line_bytes));
      else copy_line(w, from + row.from(y), d);
    }
  };
  if (threads == 1)
    for (int64_t t = 0; t < outer * pieces; ++t) task(t, 0);
  else args.parallel.run(outer * pieces, task);
  if (op.get().coordinates == Resize::Coordinates::tf_crop_and_resize) extrapolate(args);
}

}  // namespace anydim
