// SPDX-License-Identifier: Apache-2.0
// Tensors made from a rule by loops that test no element: OneHot and EyeLike fill and then set, Trilu copies and clears
// parts of lines, Range counts.
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core/kernels/copy/strided_copy.h"
#include "core/kernels/gather/numbers.h"
#include "core/kernels/gather/plain.h"
#include "core/ops/operators/eye_like.h"
#include "core/ops/operators/one_hot.h"
#include "core/ops/operators/range.h"
#include "core/ops/operators/trilu.h"

namespace anydim {

namespace {

constexpr int64_t kTaskElements = 16 << 10;  // about a quarter of a core's L2 where elements have 8 bytes

constexpr uint64_t kZeroBits = 0;

int64_t magnitude(int64_t stride) noexcept { return stride < 0 ? -stride : stride; }

// The outermost axis of `out` in memory but `except`: along it work is cut. -1: there is none.
int outermost_axis(const TensorView& out, int except) noexcept {
  int best = -1;
  for (int i = 0; i < out.rank(); ++i)
    if (i != except && out.dims[i] > 1 && (best < 0 || magnitude(out.strides[i]) > magnitude(out.strides[best]))) best = i;
  return best;
}

void fill(const TensorView& out, const void* value, const Parallel& parallel) noexcept {
  StridedCopy c;
  c.from = static_cast<const std::byte*>(value);
  c.to = out.as<std::byte>();
  c.size = dtype_size(out.dtype);
  for (int i = 0; i < out.rank(); ++i) c.axis(out.dims[i], 0, out.strides[i]);
  run_copy(c, CopyCore::portable, parallel);
}

// An index of any type but i64, which is read in place.
using IndexReader = int64_t (*)(const void* indices, int64_t at) noexcept;
IndexReader index_reader(DType t) noexcept {
  IndexReader reader = nullptr;
  with_type(t, [&](auto zero) {
    using I = decltype(zero);
    reader = [](const void* indices, int64_t at) noexcept { return integer_of(static_cast<const I*>(indices)[at]); };
  });
  return reader;
}

// `value` at out[..., index_at(i), ...] for each of the indices within the axis; `dims` and strides are those of the indices,
// `steps` those of the output.
template <class T, class F>
void set_by_index(F index_at, const Dims& dims, const Strides& strides, const Strides& steps, int64_t depth, int64_t along, T value,
                  T* out) noexcept {
  const int last = dims.rank - 1;
  const int64_t line = last < 0 ? 1 : dims[last], from_step = last < 0 ? 0 : strides[last], to_step = last < 0 ? 0 : steps[last];
  Dims at = Dims::filled(dims.rank, 0), outer = dims;
  if (last >= 0) outer[last] = 1;
  do {
    int64_t from = 0, to = 0;
    for (int i = 0; i < last; ++i) {
      from += at[i] * strides[i];
      to += at[i] * steps[i];
    }
    for (int64_t i = 0; i < line; ++i) {
      int64_t index = index_at(from + i * from_step);
      index += index < 0 ? depth : 0;
      if (index >= 0 && index < depth) out[to + i * to_step + index * along] = value;
    }
  } while (next(&at, outer));
}

template <class T> void range_line(uint64_t start, uint64_t delta, int64_t n, int64_t step, T* out) noexcept {
  using U = std::make_unsigned_t<T>;
  U y = static_cast<U>(start);
  for (int64_t i = 0; i < n; ++i, y = static_cast<U>(y + delta)) out[i * step] = static_cast<T>(y);
}
template <class T> void real_line(T start, T delta, int64_t n, int64_t step, T* out) noexcept {
  if (step == 1 && n <= INT32_MAX)  // indices of 32 bits become floats in vectors
    for (int32_t i = 0; i < static_cast<int32_t>(n); ++i) out[i] = start + static_cast<T>(i) * delta;
  else
    for (int64_t i = 0; i < n; ++i) out[i * step] = start + static_cast<T>(i) * delta;
}

}  // namespace

Status run_range(const Args& args) noexcept {
  const auto& op = *static_cast<const Range*>(args.op);
  const TensorView& out = args.out[0];
  with_type(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    const int64_t n = out.dims[0], step = out.strides[0];
    if constexpr (std::is_floating_point_v<T>) {
      const T start = op.is_real() ? static_cast<T>(op.real_start()) : static_cast<T>(args.dim_attributes[0]);
      const T delta = op.is_real() ? static_cast<T>(op.real_delta()) : static_cast<T>(args.dim_attributes[1]);
      real_line(start, delta, n, step, out.as<T>());
    } else {
      range_line(static_cast<uint64_t>(args.dim_attributes[0]), static_cast<uint64_t>(args.dim_attributes[1]), n, step, out.as<T>());
    }
  });
  return {};
}

// Pieces of the output are filled and set while they are in a cache.
Status run_one_hot(const Args& args) noexcept {
  const TensorView &indices = args.in[0], &values = args.in[1], &out = args.out[0];
  const int axis = static_cast<const OneHot*>(args.op)->axis();
  if (out.count() == 0) return {};
  const int64_t depth = out.dims[axis], size = dtype_size(out.dtype);
  const int cut = outermost_axis(out, axis);
  const int64_t dim = cut < 0 ? 1 : out.dims[cut];
  const int64_t piece = std::clamp(kTaskElements / (out.count() / dim), int64_t{1}, dim);
  args.parallel.run(ceil_div(dim, piece), [&](int64_t task, int) {
    TensorView part = out, picks = indices;
    if (cut >= 0) {
      const int64_t first = task * piece, n = std::min(piece, dim - first);
      const int from = cut < axis ? cut : cut - 1;
      part.dims[cut] = picks.dims[from] = n;
      part.data = part.as<std::byte>() + first * part.strides[cut] * size;
      picks.data = picks.as<std::byte>() + first * picks.strides[from] * dtype_size(picks.dtype);
    }
    fill(part, values.data, Parallel(1));
    Strides steps = part.strides;
    steps.erase(axis);
    with_bits(size, [&](auto bits) {
      using T = decltype(bits);
      const auto set = [&](auto index_at) {
        set_by_index(index_at, picks.dims, picks.strides, steps, depth, part.strides[axis], values.as<const T>()[values.strides[0]],
                     part.as<T>());
      };
      if (indices.dtype == DType::i64) set([&](int64_t at) { return picks.as<const int64_t>()[at]; });
      else set([&, read = index_reader(indices.dtype)](int64_t at) { return read(picks.data, at); });
    });
  });
  return {};
}

// Lines run along that one of the last two axes that is the inner one in memory; for columns the triangle is mirrored.
Status run_trilu(const Args& args) noexcept {
  const TensorView &in = args.in[0], &out = args.out[0];
  if (out.count() == 0) return {};
  const int row = out.rank() - 2, column = out.rank() - 1;
  const bool by_rows = magnitude(out.strides[column]) <= magnitude(out.strides[row]);
  const int along = by_rows ? column : row, other = by_rows ? row : column;
  const bool from_diagonal = static_cast<const Trilu*>(args.op)->upper() == by_rows;                // kept: from it on, else up to it
  const int64_t k = by_rows ? args.dim_attributes[0] : saturating_mul(args.dim_attributes[0], -1);  // any number
  const int64_t n = out.dims[along], from_step = in.strides[along], to_step = out.strides[along], size = dtype_size(out.dtype);

  Dims lines = out.dims;  // in order, the other of the last two axes innermost
  lines[along] = 1;
  if (other == column) lines[row] = 1;
  const int64_t count = element_count(lines);
  const int64_t per_task = args.parallel.threads() == 1 ? count : std::clamp(kTaskElements / n, int64_t{1}, count);
  args.parallel.run(ceil_div(count, per_task), [&](int64_t task, int) {
    Dims at = Dims::filled(lines.rank, 0);
    int64_t rest = task * per_task;
    const int64_t end = std::min(count, rest + per_task);
    for (int i = lines.rank - 1; i >= 0; --i) {
      at[i] = rest % lines[i];
      rest /= lines[i];
    }
    with_bits(size, [&](auto bits) {
      using T = decltype(bits);
      for (int64_t line = task * per_task; line < end; ++line, next(&at, lines)) {
        const T* from = in.as<const T>() + offset_of(in, at);
        T* to = out.as<T>() + offset_of(out, at);
        const int64_t diagonal = std::clamp(saturating_add(at[other], k), int64_t{-1}, n);
        const int64_t first = from_diagonal ? std::max(diagonal, int64_t{0}) : 0;
        const int64_t last = from_diagonal ? n : std::min(diagonal + 1, n);
        if (from_step == 1 && to_step == 1) {
          std::memset(to, 0, static_cast<size_t>(first * size));
          if (from != to) std::memcpy(to + first, from + first, static_cast<size_t>((last - first) * size));
          std::memset(to + last, 0, static_cast<size_t>((n - last) * size));
        } else {
          for (int64_t i = 0; i < first; ++i) to[i * to_step] = 0;
          for (int64_t i = first; i < last; ++i) to[i * to_step] = from[i * from_step];
          for (int64_t i = last; i < n; ++i) to[i * to_step] = 0;
        }
      }
    });
  });
  return {};
}

Status run_eye_like(const Args& args) noexcept {
  const TensorView& out = args.out[0];
  fill(out, &kZeroBits, args.parallel);
  const int64_t k = static_cast<const EyeLike*>(args.op)->k();
  // Columns of rows 0, 1, ... are k, k + 1, ...
  const int64_t first = k < 0 ? (k == INT64_MIN ? INT64_MAX : -k) : 0;
  with_bits(dtype_size(out.dtype), [&](auto bits) {
    using T = decltype(bits);
    const auto one = static_cast<T>(one_bits(out.dtype));
    for (int64_t r = first; r < out.dims[0] && r + k < out.dims[1]; ++r) out.as<T>()[r * out.strides[0] + (r + k) * out.strides[1]] = one;
  });
  return {};
}

}  // namespace anydim
