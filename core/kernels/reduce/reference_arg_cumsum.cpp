// SPDX-License-Identifier: Apache-2.0
// arg_reduce and cumsum on every dtype, element by element: the truth for tests. A running sum
// or product is one chain in index order, one rounding per element.
#include <cmath>

#include "core/kernels/eltwise/elements.h"
#include "core/kernels/plain_kernel.h"
#include "core/kernels/reduce/reduce.h"
#include "core/ops/operators/arg_reduce.h"
#include "core/ops/operators/cumsum.h"

namespace anydim {

namespace {

// NaN beats every number, and the first (or last) NaN is meant.
template <class C> bool beats(bool max, bool last, C x, C best) {
  if constexpr (std::is_floating_point_v<C>) {
    const bool x_nan = x != x, best_nan = best != best;
    if (x_nan || best_nan) return x_nan && (!best_nan || last);
  }
  if (x == best) return last;
  return max ? x > best : x < best;
}

class ArgReduceKernel final : public PlainKernel {
 public:
  constexpr ArgReduceKernel() noexcept : PlainKernel("arg_reduce.reference", OpKind::arg_reduce) {}
  Status run(const Plan&, const Args& args) const noexcept override {
    const ArgReduce& op = *as<ArgReduce>(*args.op);
    const TensorView &x = args.in[0], &y = args.out[0];
    int axis;
    ANYDIM_TRY(normalise_axis(op.axis(), x.rank(), "arg_reduce: axis", &axis));
    const int64_t count = x.dims[axis];
    if (count == 0 && y.count() != 0)
      return error(Code::invalid_data, "arg_reduce: axis {} has size 0; there is no largest or smallest element", axis);
    const int64_t size = dtype_size(x.dtype), step = x.strides[axis] * size;
    Walker w[2] = {walker(y, y.dims), {}};
    w[1].at = static_cast<std::byte*>(x.data);
    for (int a = 0, o = 0; a < x.rank(); ++a) {
      if (a != axis) w[1].steps[o++] = x.strides[a] * size;
      else o += op.keepdims();
    }
    visit_dtype(x.dtype, [&](auto tag) {
      using T = decltype(tag);
      for_each_element(y.dims, w, [&] {
        int64_t best = 0;
        auto value = load_element<T>(w[1].at);
        for (int64_t i = 1; i < count; ++i) {
          const auto v = load_element<T>(w[1].at + i * step);
          if (!beats(op.max(), op.select_last(), v, value)) continue;
          value = v;
          best = i;
        }
        store_element<int64_t>(w[0].at, best);
      });
    });
    return {};
  }
};

class CumSumKernel final : public PlainKernel {
 public:
  constexpr CumSumKernel() noexcept : PlainKernel("cumsum.reference", OpKind::cumsum) {}
  Status run(const Plan&, const Args& args) const noexcept override {
    const CumSum& op = *as<CumSum>(*args.op);
    const TensorView &x = args.in[0], &y = args.out[0];
    const int64_t axis_input = args.in[1].dtype == DType::i32 ? *args.in[1].as<int32_t>() : *args.in[1].as<int64_t>();
    int axis;
    if (Status s = normalise_axis(axis_input, x.rank(), "cumsum: axis", &axis); !s.ok()) return Status(Code::invalid_data, s.message());
    const int64_t count = x.dims[axis];
    Dims others = x.dims;
    others[axis] = count > 0 ? 1 : 0;
    Walker w[2];
    const TensorView* views[2] = {&y, &x};
    int64_t step[2];
    for (int i = 0; i < 2; ++i) {
      w[i].at = static_cast<std::byte*>(views[i]->data);
      for (int a = 0; a < x.rank(); ++a) w[i].steps[a] = views[i]->strides[a] * dtype_size(x.dtype);
      step[i] = w[i].steps[axis];
    }
    visit_dtype(x.dtype, [&](auto tag) {
      using T = decltype(tag);
      using C = typename ComputeType<T>::type;
      for_each_element(others, w, [&] {
        const bool product = op.product();
        C sum = static_cast<C>(product ? 1 : 0);
        for (int64_t k = 0; k < count; ++k) {
          const int64_t i = op.reverse() ? count - 1 - k : k;
          const C v = load_element<T>(w[1].at + i * step[1]), before = sum;
          if constexpr (std::is_floating_point_v<C> || std::is_same_v<C, bool>) sum = static_cast<C>(product ? sum * v : sum + v);
          else if (product) sum = static_cast<C>(static_cast<uint64_t>(sum) * static_cast<uint64_t>(v));
          else sum = static_cast<C>(static_cast<uint64_t>(sum) + static_cast<uint64_t>(v));
          store_element<T>(w[0].at + i * step[0], op.exclusive() ? before : sum);
        }
      });
    });
    return {};
  }
};

const ArgReduceKernel arg_reduce_kernel;
const CumSumKernel cumsum_kernel;

}  // namespace

constinit const HostKernel* const kArgReduceReference = &arg_reduce_kernel;
constinit const HostKernel* const kCumSumReference = &cumsum_kernel;

}  // namespace anydim
