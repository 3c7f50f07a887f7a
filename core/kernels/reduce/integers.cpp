// SPDX-License-Identifier: Apache-2.0
// Reductions of integers. Their order is free, so the reduced axes are walked as they lie in memory: along elements side by side, or
// across outputs side by side, which may be gathered for it.
#include "core/kernels/reduce/integers.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "core/kernels/reduce/strip_tasks.h"
#include "core/ops/operators/reduce.h"

namespace anydim {

namespace {

constexpr int64_t kBlock = 512;  // partial results at a time: 4 KiB of them
constexpr int64_t kGathered = 128;
constexpr int64_t kShortRun = 16;  // elements: below, a vector's partial results cost more than gathering them

template <class F> void by_size(int64_t bytes, F&& f) {
  switch (bytes) {
    case 1: return f(uint8_t{});
    case 4: return f(uint32_t{});
    default: return f(uint64_t{});
  }
}

struct IntegerJob {
  ReduceKind kind;
  DType dtype;
  const SplitAxes& axes;
  const IntegerSteps& steps;
  void (*join)(const IntegerTake& t) noexcept;  // partial results take others
  int64_t bytes;                                // of a partial result
  uint64_t start, turn, neutral;                // start: a partial result of nothing
};

struct Partials {
  alignas(kIntegerVector) std::byte bytes[kBlock * 8];
};

bool is_signed(DType t) noexcept { return t == DType::i8 || t == DType::i32 || t == DType::i64; }

IntegerJob make_job(ReduceKind kind, DType dtype, const SplitAxes& axes, IntegerStepsOf::Function* steps) noexcept {
  const int64_t size = dtype_size(dtype);
  const int64_t bytes = kind == ReduceKind::mean ? 8 : size;
  const bool most = kind == ReduceKind::max || kind == ReduceKind::min;
  const IntegerSteps& joining = *steps(most || kind == ReduceKind::prod ? kind : ReduceKind::sum, bytes == 8 ? DType::u64 : dtype);
  IntegerJob job{kind, dtype, axes, *steps(kind, dtype), joining.across, bytes, 0, 0, 0};
  const uint64_t sign = uint64_t{1} << (size * 8 - 1);
  if (kind == ReduceKind::prod) {
    job.start = job.neutral = 1;
  } else if (most) {
    job.start = sign;
    job.turn = (is_signed(dtype) ? 0 : sign) ^ (kind == ReduceKind::min ? ~uint64_t{0} : 0);
    job.neutral = sign ^ job.turn;
  } else if (kind == ReduceKind::mean && dtype == DType::i32) {
    job.turn = job.neutral = sign;  // numbers above -2^31, which becomes 0
  }
  return job;
}

void begin(const IntegerJob& job, Partials* p, int64_t n) noexcept {
  by_size(job.bytes, [&](auto t) { std::fill_n(reinterpret_cast<decltype(t)*>(p->bytes), n, static_cast<decltype(t)>(job.start)); });
}

template <class T> T root(T squares) noexcept { return squares <= T{0} ? T{0} : static_cast<T>(std::sqrt(static_cast<double>(squares))); }
uint64_t finished(const IntegerJob& job, uint64_t v) noexcept {
  const int64_t count = job.axes.reduced.count;
  if (job.dtype == DType::boolean) return v != 0;
  if (job.kind == ReduceKind::mean) {
    if (count == 0) return 0;
    if (job.dtype == DType::i32) v -= static_cast<uint64_t>(count) << 31;
    return is_signed(job.dtype) ? static_cast<uint64_t>(static_cast<int64_t>(v) / count) : v / static_cast<uint64_t>(count);
  }
  switch (job.dtype) {
    case DType::i32: return static_cast<uint64_t>(root(static_cast<int32_t>(v)));
    case DType::u32: return root(static_cast<uint32_t>(v));
    case DType::i64: return static_cast<uint64_t>(root(static_cast<int64_t>(v)));
    default: return root(v);
  }
}

// Means of signed numbers: below 2^52 a quotient of doubles has the whole part of the exact one, since it is nearer to no other whole number
// than 2^-52 of itself. It takes a third of the time.
void divide(uint64_t* v, int64_t n, int64_t count) noexcept {
  uint64_t sizes = 0;
  for (int64_t i = 0; i < n; ++i) sizes |= v[i] ^ static_cast<uint64_t>(static_cast<int64_t>(v[i]) >> 63);
  if (sizes >> 52 != 0 || count >> 52 != 0) {
    for (int64_t i = 0; i < n; ++i) v[i] = static_cast<uint64_t>(static_cast<int64_t>(v[i]) / count);
    return;
  }
  if ((count & (count - 1)) == 0) {  // toward zero
    const int shift = std::countr_zero(static_cast<uint64_t>(count));
    for (int64_t i = 0; i < n; ++i) {
      const auto x = static_cast<int64_t>(v[i]);
      v[i] = static_cast<uint64_t>((x + ((x >> 63) & (count - 1))) >> shift);
    }
    return;
  }
  if (sizes >> 30 == 0 && count >> 31 == 0) {  // below 2^31 the quotient is a product's upper part (Granlund and Montgomery)
    const int bits = 31 + static_cast<int>(std::bit_width(static_cast<uint64_t>(count)));
    const auto factor = static_cast<uint32_t>(((UINT64_C(1) << bits) + static_cast<uint64_t>(count) - 1) / static_cast<uint64_t>(count));
    for (int64_t i = 0; i < n; ++i) {
      const uint64_t sign = static_cast<uint64_t>(static_cast<int64_t>(v[i]) >> 63), size = (v[i] ^ sign) - sign;
      v[i] = (((static_cast<uint64_t>(static_cast<uint32_t>(size)) * factor) >> bits) ^ sign) - sign;
    }
    return;
  }
  const auto by = static_cast<double>(count);
  for (int64_t i = 0; i < n; ++i) v[i] = static_cast<uint64_t>(static_cast<int64_t>(static_cast<double>(static_cast<int64_t>(v[i])) / by));
}

// The n partial results become outputs, `stride` elements apart.
void finish(const IntegerJob& job, Partials* p, int64_t n, std::byte* out, int64_t stride) noexcept {
  const int64_t size = dtype_size(job.dtype);
  by_size(job.bytes, [&](auto t) {
    auto* v = reinterpret_cast<decltype(t)*>(p->bytes);
    const bool most = job.kind == ReduceKind::max || job.kind == ReduceKind::min;
    if (most)
      for (int64_t i = 0; i < n; ++i) v[i] = static_cast<decltype(t)>(v[i] ^ job.turn);
    if (job.kind == ReduceKind::mean && job.dtype == DType::i64 && job.axes.reduced.count > 0)
      divide(reinterpret_cast<uint64_t*>(v), n, job.axes.reduced.count);
    else if (job.kind == ReduceKind::mean || job.kind == ReduceKind::l2 || job.dtype == DType::boolean)
      for (int64_t i = 0; i < n; ++i) v[i] = static_cast<decltype(t)>(finished(job, v[i]));
    by_size(size, [&](auto o) {
      auto* to = reinterpret_cast<decltype(o)*>(out);
      if (stride == 1 && sizeof(o) == sizeof(t)) std::memcpy(to, v, static_cast<size_t>(n) * sizeof(t));
      else
        for (int64_t i = 0; i < n; ++i) to[i * stride] = static_cast<decltype(o)>(v[i]);
    });
  });
}

// Calls f(offset) for each position of all reduced axes but the last `inner`.
template <class F> void each_outer(const ReducedAxes& r, int inner, F&& f) noexcept {
  int64_t at[kAxes] = {}, offset = 0;
  const int outer = r.rank - inner;
  for (;;) {
    f(offset);
    int a = outer - 1;
    for (; a >= 0; --a) {
      offset += r.in_strides[a];
      if (++at[a] < r.dims[a]) break;
      offset -= r.in_strides[a] * r.dims[a];
      at[a] = 0;
    }
    if (a < 0) return;
  }
}

// Outputs anywhere, each along elements side by side.
void reduce_along(const IntegerJob& job, const std::byte* in, std::byte* out, int64_t width) noexcept {
  const ReducedAxes& r = job.axes.reduced;
  const int64_t size = dtype_size(job.dtype), stride = job.axes.in_stride;
  Partials results;
  for (int64_t first = 0; first < width; first += kBlock) {
    const int64_t n = std::min(kBlock, width - first);
    begin(job, &results, n);
    each_outer(r, 1, [&](int64_t offset) {
      job.steps.along(
          {results.bytes, in + (first * stride + offset) * size, r.dims[r.rank - 1], job.turn, job.neutral, job.start, n, stride});
    });
    finish(job, &results, n, out + first * job.axes.out_stride * size, job.axes.out_stride);
  }
}

// Outputs side by side. Where the reduced positions follow them without a gap, several positions are one row.
void reduce_across(const IntegerJob& job, const std::byte* in, std::byte* out, int64_t width) noexcept {
  const ReducedAxes& r = job.axes.reduced;
  const int64_t size = dtype_size(job.dtype), run = r.dims[r.rank - 1], step = r.in_strides[r.rank - 1];
  Partials results;
  for (int64_t first = 0; first < width; first += kBlock) {
    const int64_t n = std::min(kBlock, width - first);
    const int64_t together = step == width && n == width ? std::clamp<int64_t>(kBlock / width, 1, run) : 1;
    begin(job, &results, n * together);
    each_outer(r, 1, [&](int64_t offset) {
      const std::byte* from = in + (first + offset) * size;
      for (int64_t k = 0; k < run; k += together)
        job.steps.across({results.bytes, from + k * step * size, n * std::min(together, run - k), job.turn, job.neutral});
    });
    for (int64_t half, left = together; left > 1; left -= half) {
      half = left / 2;
      job.join({results.bytes, results.bytes + (left - half) * n * job.bytes, half * n, 0, job.start});
    }
    finish(job, &results, n, out + first * job.axes.out_stride * size, job.axes.out_stride);
  }
}

// Sums of numbers of 64 bits in short lines, each side by side.
bool has_short_sums(const IntegerJob& job) noexcept {
  const ReduceKind k = job.kind;
  return job.bytes == 8 && dtype_size(job.dtype) == 8 && job.axes.reduced.rank == 1 &&
         (k == ReduceKind::sum || k == ReduceKind::mean || k == ReduceKind::sum_square || k == ReduceKind::l2);
}
void reduce_short(const IntegerJob& job, const std::byte* in, std::byte* out, int64_t width) noexcept {
  const int64_t run = job.axes.reduced.dims[0], stride = job.axes.in_stride;
  const bool squares = job.kind == ReduceKind::sum_square || job.kind == ReduceKind::l2;
  Partials results;
  for (int64_t first = 0; first < width; first += kBlock) {
    const int64_t n = std::min(kBlock, width - first);
    auto* sums = reinterpret_cast<uint64_t*>(results.bytes);
    const auto* x = reinterpret_cast<const uint64_t*>(in) + first * stride;
    const auto each = [&](auto length) __attribute__((always_inline)) {
      for (int64_t i = 0; i < n; ++i) {
        uint64_t sum = 0;
        for (int64_t k = 0; k < static_cast<int64_t>(length); ++k)
          sum += squares ? x[i * stride + k] * x[i * stride + k] : x[i * stride + k];
        sums[i] = sum;
      }
    };
    switch (run) {
      case 2: each(std::integral_constant<int64_t, 2>{}); break;
      case 3: each(std::integral_constant<int64_t, 3>{}); break;
      case 4: each(std::integral_constant<int64_t, 4>{}); break;
      default: each(run); break;
    }
    finish(job, &results, n, out + first * job.axes.out_stride * 8, job.axes.out_stride);
  }
}

// Outputs anywhere: their elements are gathered first.
void reduce_gathered(const IntegerJob& job, const std::byte* in, std::byte* out, int64_t width) noexcept {
  const int64_t size = dtype_size(job.dtype), stride = job.axes.in_stride;
  Partials results;
  alignas(kIntegerVector) std::byte elements[kGathered * 8];
  for (int64_t first = 0; first < width; first += kGathered) {
    const int64_t n = std::min(kGathered, width - first);
    begin(job, &results, n);
    each_outer(job.axes.reduced, 0, [&](int64_t offset) {
      by_size(size, [&](auto t) {
        auto* to = reinterpret_cast<decltype(t)*>(elements);
        const auto* from = reinterpret_cast<const decltype(t)*>(in) + first * stride + offset;
        for (int64_t i = 0; i < n; ++i) to[i] = from[i * stride];
      });
      job.steps.across({results.bytes, elements, n, job.turn, job.neutral});
    });
    finish(job, &results, n, out + first * job.axes.out_stride * size, job.axes.out_stride);
  }
}

}  // namespace

Support IntegerReduce::supports(const Problem& p) const noexcept {
  if (const Reduce* op = as<Reduce>(*p.op); op && steps_(op->reduction(), p.in[0].dtype) == nullptr)
    return no("there are no steps for this dtype");
  return PlainKernel::supports(p);
}

Status IntegerReduce::run(const Plan&, const Args& args) const noexcept {
  const Reduce& op = *as<Reduce>(*args.op);
  const TensorView &x = args.in[0], &y = args.out[0];
  if (y.count() == 0) return {};
  uint32_t mask;
  ANYDIM_TRY(op.axis_mask(x.rank(), &mask));
  SplitAxes axes = reduction_axes(x, y, mask, op.keepdims());
  sort_by_memory(&axes.reduced);
  const IntegerJob job = make_job(op.reduction(), x.dtype, axes, steps_);
  const ReducedAxes& r = axes.reduced;
  const int64_t size = dtype_size(x.dtype), run = r.dims[r.rank - 1];
  const bool along = r.in_strides[r.rank - 1] == 1 && (run > kShortRun || axes.width == 1);
  const bool in_lines = r.rank == 1 && r.in_strides[0] == 1 && run <= kShortRun && has_short_sums(job);
  const auto strip = in_lines                                 ? reduce_short
                     : along                                  ? reduce_along
                     : axes.in_stride == 1 || axes.width == 1 ? reduce_across
                                                              : reduce_gathered;
  run_strips(axes, along, args.parallel, [&](int64_t in, int64_t out, int64_t width) {
    const std::byte* from = x.as<const std::byte>() + in * size;
    std::byte* to = y.as<std::byte>() + out * size;
    if (r.count > 0) return strip(job, from, to, width);
    for (int64_t i = 0; i < width; ++i) {
      Partials nothing;
      begin(job, &nothing, 1);
      finish(job, &nothing, 1, to + i * axes.out_stride * size, 1);
    }
  });
  return {};
}

}  // namespace anydim
