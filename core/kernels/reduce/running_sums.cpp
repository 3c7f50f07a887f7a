// SPDX-License-Identifier: Apache-2.0
// cumsum: one chain per line, so that the bits are the reference's. Lines that lie side by side go together, in vectors; others some at a
// time, which hides an addition's latency. Integers have none to hide, and lines a power of two apart push each other out of the cache.
#include "core/kernels/reduce/running_sums.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "core/kernels/eltwise/elements.h"
#include "core/kernels/reduce/strip_tasks.h"
#include "core/ops/operators/cumsum.h"

namespace anydim {

namespace {

// `width` lines of `count` elements, from the one `first` on; steps of -1 elements when reversed are in the strides.
struct Lines {
  const std::byte* in;
  std::byte* out;
  int64_t width, in_stride, out_stride;
  int64_t count, in_step, out_step;
  bool exclusive;
};

// Lines [i, i + N).
template <int N, class T, class Join> void run_lines(const Lines& l, int64_t i, Join join, typename ComputeType<T>::type start) noexcept {
  using C = typename ComputeType<T>::type;
  C sum[N];
  for (C& s : sum) s = start;
  const T* in = reinterpret_cast<const T*>(l.in) + i * l.in_stride;
  T* out = reinterpret_cast<T*>(l.out) + i * l.out_stride;
  for (int64_t k = 0; k < l.count; ++k, in += l.in_step, out += l.out_step)
    for (int j = 0; j < N; ++j) {
      const C before = sum[j];
      sum[j] = join(before, load_element<T>(in + j * l.in_stride));
      store_element<T>(out + j * l.out_stride, l.exclusive ? before : sum[j]);
    }
}
template <class T, class Join> void run_each(const Lines& l, Join join, typename ComputeType<T>::type start) noexcept {
  constexpr int kSome = kIsFloat<T> ? 4 : 1;
  int64_t i = 0;
  for (; i + kSome <= l.width; i += kSome) run_lines<kSome, T>(l, i, join, start);
  if constexpr (kSome > 1)
    for (; i < l.width; ++i) run_lines<1, T>(l, i, join, start);
}
template <class T> void run_each(const Lines& l, bool product) noexcept {
  using C = typename ComputeType<T>::type;
  if (product)
    run_each<T>(
        l, [](C a, C b) { return static_cast<C>(a * b); }, C{1});
  else
    run_each<T>(
        l, [](C a, C b) { return static_cast<C>(a + b); }, C{0});
}
void run_each(const Lines& l, DType t, bool product) noexcept {
  switch (t) {
    case DType::f32: return run_each<float>(l, product);
    case DType::f64: return run_each<double>(l, product);
    case DType::f16: return run_each<F16>(l, product);
    case DType::bf16: return run_each<BF16>(l, product);
    case DType::i32:
    case DType::u32: return run_each<uint32_t>(l, product);
    default: return run_each<uint64_t>(l, product);
  }
}

// How lines side by side go together: of 16-bit floats through f32.
struct Together {
  RunningFunction rows;
  TypedRowFunction widen, narrow;  // null: none
  int64_t bytes, wide_bytes;       // of an element, and of a sum
  uint64_t start;                  // the bits of a sum of nothing
};

constexpr int64_t kPiece = 1024;  // elements that are widened at a time

// n lines of 16-bit floats: rows that follow each other without a gap are widened together.
void run_widened(const Lines& l, const Together& t, std::byte* sums, int64_t from, int64_t n) noexcept {
  alignas(64) float wide[kPiece];
  const bool dense = std::abs(l.in_step) == n && l.out_step == l.in_step;
  const int64_t some = dense ? kPiece / n : 1;
  for (int64_t k = 0; k < l.count; k += some) {
    const int64_t rows = std::min(some, l.count - k), last = l.in_step < 0 ? rows - 1 : 0;  // which begins the memory
    const int64_t step = l.in_step < 0 ? -n * 4 : n * 4;
    t.widen({wide, {l.in + (from + (k + last) * l.in_step) * t.bytes}, rows * n});
    float* const first = wide + last * n;
    t.rows({first, first, sums, n * 4, rows, step, step, l.exclusive});
    t.narrow({l.out + (from + (k + last) * l.out_step) * t.bytes, {wide}, rows * n});
  }
}

// Lines of 16-bit floats whose elements are neighbours.
void run_along(const Lines& l, const Together& t, bool product) noexcept {
  alignas(64) float wide[kPiece];
  for (int64_t i = 0; i < l.width; ++i) {
    float sum = product ? 1.f : 0.f;
    for (int64_t k = 0; k < l.count; k += kPiece) {
      const int64_t n = std::min(kPiece, l.count - k), last = l.in_step < 0 ? n - 1 : 0;  // which begins the memory
      t.widen({wide, {l.in + (i * l.in_stride + (k + last) * l.in_step) * t.bytes}, n});
      for (int64_t j = 0; j < n; ++j) {
        float& x = wide[last != 0 ? n - 1 - j : j];
        const float before = sum;
        sum = product ? sum * x : sum + x;
        x = l.exclusive ? before : sum;
      }
      t.narrow({l.out + (i * l.out_stride + (k + last) * l.out_step) * t.bytes, {wide}, n});
    }
  }
}

// As many lines as go together; how many that were.
int64_t run_beside(const Lines& l, const Together& t) noexcept {
  constexpr int64_t kColumns = 512;
  const int64_t all = l.width / (kRunningColumns / t.wide_bytes) * (kRunningColumns / t.wide_bytes);
  alignas(64) std::byte starts[kColumns * 8 + 8], sums[kColumns * 8];  // the last start may be stored with more bytes than it has
  for (int64_t j = 0; j < std::min(kColumns, all); ++j) std::memcpy(starts + j * t.wide_bytes, &t.start, sizeof t.start);
  for (int64_t i = 0; i < all; i += kColumns) {
    const int64_t n = std::min(kColumns, all - i);
    std::memcpy(sums, starts, static_cast<size_t>(n * t.wide_bytes));  // a column's elements may be few: the start costs as much as one
    if (t.widen != nullptr) run_widened(l, t, sums, i, n);
    else
      t.rows({l.in + i * t.bytes, l.out + i * t.bytes, sums, n * t.bytes, l.count, l.in_step * t.bytes, l.out_step * t.bytes, l.exclusive});
  }
  return all;
}

}  // namespace

Support RunningSums::supports(const Problem& p) const noexcept {
  const DType t = p.in[0].dtype;
  if (p.op->kind() == OpKind::cumsum && !dtype_is_half(t) && rows_(false, t) == nullptr) return no("there are no steps for this dtype");
  return PlainKernel::supports(p);
}

Status RunningSums::run(const Plan&, const Args& args) const noexcept {
  const CumSum& op = *as<CumSum>(*args.op);
  const TensorView &x = args.in[0], &y = args.out[0];
  const int64_t axis_input = args.in[1].dtype == DType::i32 ? *args.in[1].as<int32_t>() : *args.in[1].as<int64_t>();
  int axis;
  if (Status s = normalise_axis(axis_input, x.rank(), "cumsum: axis", &axis); !s.ok()) return Status(Code::invalid_data, s.message());
  if (x.count() == 0) return {};
  const SplitAxes axes = split_axes(x.rank(), x.dims.values, x.strides.values, y.strides.values, 1u << axis);
  const int64_t count = axes.reduced.count, direction = op.reverse() ? -1 : 1, size = dtype_size(x.dtype);
  const int64_t in_step = axes.reduced.in_strides[0], out_step = axes.reduced.out_strides[0];
  const int64_t in_first = op.reverse() ? (count - 1) * in_step : 0, out_first = op.reverse() ? (count - 1) * out_step : 0;

  const bool product = op.product(), half = dtype_is_half(x.dtype);
  const DType wide = half ? DType::f32 : x.dtype;
  Together together{rows_(product, wide), nullptr, nullptr, size, dtype_size(wide), product};
  if (half) together.widen = casts_.cast(x.dtype, wide), together.narrow = casts_.cast(wide, x.dtype);
  if (product && wide == DType::f32) together.start = __builtin_bit_cast(uint32_t, 1.f);
  if (product && wide == DType::f64) together.start = __builtin_bit_cast(uint64_t, 1.0);

  run_strips(axes, in_step == 1, args.parallel, [&](int64_t in, int64_t out, int64_t width) {
    Lines l{x.as<const std::byte>() + (in + in_first) * size,
            y.as<std::byte>() + (out + out_first) * size,
            width,
            axes.in_stride,
            axes.out_stride,
            count,
            in_step * direction,
            out_step * direction,
            op.exclusive()};
    if (l.in_stride == 1 && l.out_stride == 1) {
      const int64_t n = run_beside(l, together);
      l.in += n * size, l.out += n * size, l.width -= n;
    }
    if (half && std::abs(l.in_step) == 1 && l.out_step == l.in_step) run_along(l, together, product);
    else run_each(l, x.dtype, product);
  });
  return {};
}

}  // namespace anydim
