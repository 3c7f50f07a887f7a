// SPDX-License-Identifier: Apache-2.0
// cumsum on every dtype: one chain per line, so that the bits are the reference's. Lines that lie side by side go
// together, in vectors where their elements are neighbours; others some at a time, which hides an addition's latency.
#include "core/kernels/eltwise/elements.h"
#include "core/kernels/plain_kernel.h"
#include "core/kernels/reduce/reduce.h"
#include "core/kernels/reduce/strip_tasks.h"
#include "core/ops/cumsum.h"

namespace anydim {

namespace {

template <class C> C plus(C a, C b) noexcept {
  if constexpr (std::is_floating_point_v<C> || std::is_same_v<C, bool>) {
    return static_cast<C>(a + b);
  } else {
    using U = std::make_unsigned_t<C>;
    return static_cast<C>(static_cast<U>(a) + static_cast<U>(b));
  }
}

// `width` lines of `count` elements, from the one `first` on; steps of -1 elements when reversed are in the strides.
template <class T> struct Lines {
  const T* in;
  T* out;
  int64_t width, in_stride, out_stride;
  int64_t count, in_step, out_step;
};

// Lines [i, i + N).
template <int N, bool kExclusive, class T> void sum_lines(const Lines<T>& l, int64_t i) noexcept {
  using C = typename ComputeType<T>::type;
  C sum[N] = {};
  const T* in = l.in + i * l.in_stride;
  T* out = l.out + i * l.out_stride;
  for (int64_t k = 0; k < l.count; ++k, in += l.in_step, out += l.out_step)
    for (int j = 0; j < N; ++j) {
      const C before = sum[j];
      sum[j] = plus<C>(before, load_element<T>(in + j * l.in_stride));
      store_element<T>(out + j * l.out_stride, kExclusive ? before : sum[j]);
    }
}

// Lines [i, i + n) that lie side by side, n <= kSideBySide and a multiple of kTogether: memory is walked in its order. The
// sums so far are what was stored last, where that is all of them.
template <class T> constexpr int kTogether = 64 / sizeof(T);
constexpr int kSideBySide = 512;
template <bool kExclusive, class T> void sum_beside(const Lines<T>& l, int64_t i, int64_t n) noexcept {
  using C = typename ComputeType<T>::type;
  constexpr bool kReread = !kExclusive && std::is_same_v<C, T>;
  constexpr int kNow = kTogether<T>;
  C sums[kSideBySide] = {};
  C* sum = sums;
  const T* in = l.in + i;
  T* out = l.out + i;
  for (int64_t k = 0; k < l.count; ++k, in += l.in_step, out += l.out_step) {
    for (int64_t from = 0; from < n; from += kNow) {
      C stored[kNow];  // loaded whole before anything is stored: then all of it is vectors
      for (int64_t j = 0; j < kNow; ++j) {
        const C before = sum[from + j], after = plus<C>(before, load_element<T>(in + from + j));
        if constexpr (!kReread) sum[from + j] = after;
        stored[j] = kExclusive ? before : after;
      }
      for (int64_t j = 0; j < kNow; ++j) store_element<T>(out + from + j, stored[j]);
    }
    if constexpr (kReread) sum = out;
  }
}

template <bool kExclusive, class T> void sum_all(const Lines<T>& l) noexcept {
  constexpr int kSome = 4;
  int64_t i = 0;
  if (l.in_stride == 1 && l.out_stride == 1)
    for (int64_t n; (n = (l.width - i) / kTogether<T> * kTogether<T>) > 0; i += n) {
      if (n > kSideBySide) n = kSideBySide;
      sum_beside<kExclusive>(l, i, n);
    }
  for (; i + kSome <= l.width; i += kSome) sum_lines<kSome, kExclusive>(l, i);
  for (; i < l.width; ++i) sum_lines<1, kExclusive>(l, i);
}

class CumSumKernel final : public PlainKernel {
 public:
  constexpr CumSumKernel() noexcept : PlainKernel("cumsum.lines.portable", OpKind::cumsum) {}
  Support supports(const Problem& p) const noexcept override {
    if (p.op->kind() == OpKind::cumsum && as<CumSum>(*p.op)->product()) return no("products are left to the reference");
    return PlainKernel::supports(p);
  }
  Status run(const Plan&, const Args& args) const noexcept override {
    const CumSum& op = *as<CumSum>(*args.op);
    const TensorView &x = args.in[0], &y = args.out[0];
    const int64_t axis_input = args.in[1].dtype == DType::i32 ? *args.in[1].as<int32_t>() : *args.in[1].as<int64_t>();
    int axis;
    if (Status s = normalise_axis(axis_input, x.rank(), "cumsum: axis", &axis); !s.ok()) return Status(Code::invalid_data, s.message());
    if (x.count() == 0) return {};
    const SplitAxes axes = split_axes(x.rank(), x.dims.values, x.strides.values, y.strides.values, 1u << axis);
    const int64_t count = axes.reduced.count, direction = op.reverse() ? -1 : 1;
    const int64_t in_step = axes.reduced.in_strides[0], out_step = axes.reduced.out_strides[0];
    const int64_t in_first = op.reverse() ? (count - 1) * in_step : 0, out_first = op.reverse() ? (count - 1) * out_step : 0;
    visit_dtype(x.dtype, [&](auto tag) {
      using T = decltype(tag);
      run_strips(axes, in_step == 1, args.parallel, [&](int64_t in, int64_t out, int64_t width) {
        const Lines<T> l{x.as<const T>() + in + in_first,
                         y.as<T>() + out + out_first,
                         width,
                         axes.in_stride,
                         axes.out_stride,
                         count,
                         in_step * direction,
                         out_step * direction};
        if (op.exclusive()) sum_all<true>(l);
        else sum_all<false>(l);
      });
    });
    return {};
  }
};

const CumSumKernel cumsum_lines;

}  // namespace

constinit const HostKernel* const kCumSumLines = &cumsum_lines;

}  // namespace anydim
