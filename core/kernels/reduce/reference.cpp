// SPDX-License-Identifier: Apache-2.0
// The reference kernel for reductions on every dtype: the lanes and chains of docs/numerics.md, section 2, as they are
// written there, one output at a time.
#include <cmath>
#include <algorithm>
#include <limits>

#include "core/kernels/eltwise/elements.h"
#include "core/kernels/eltwise/functions.h"
#include "core/kernels/reduce/axes.h"
#include "core/kernels/reduce/reduce.h"
#include "core/ops/operators/reduce.h"

namespace anydim {

namespace {

float exp_of(float x) { return f32_function(UnaryFunction::exp, x, 0, 0); }
float log_of(float x) { return f32_function(UnaryFunction::log, x, 0, 0); }
double exp_of(double x) { return f64_function(UnaryFunction::exp, x, 0, 0); }
double log_of(double x) { return f64_function(UnaryFunction::log, x, 0, 0); }

// The steps of one kind on values of type C (float, double or an integer).
template <class C> struct Steps {
  ReduceKind kind;
  C shift{};  // log_sum_exp's maximum

  C start() const {
    if (kind == ReduceKind::prod) return C{1};
    if constexpr (std::is_floating_point_v<C>) {
      if (kind == ReduceKind::max) return -std::numeric_limits<C>::infinity();
      if (kind == ReduceKind::min) return std::numeric_limits<C>::infinity();
    } else {
      if (kind == ReduceKind::max) return std::numeric_limits<C>::lowest();
      if (kind == ReduceKind::min) return std::numeric_limits<C>::max();
    }
    return C{};
  }
  C take(C acc, C x) const {
    if constexpr (std::is_floating_point_v<C>) {
      switch (kind) {
        case ReduceKind::sum_square:
        case ReduceKind::l2: return std::fma(x, x, acc);
        case ReduceKind::l1: return acc + std::fabs(x);
        case ReduceKind::log_sum_exp: return acc + exp_of(x - shift);
        default: return join(acc, x);
      }
    } else {
      const auto wide = static_cast<uint64_t>(x), sum = static_cast<uint64_t>(acc);
      switch (kind) {
        case ReduceKind::sum_square:
        case ReduceKind::l2: return static_cast<C>(sum + wide * wide);
        case ReduceKind::l1: return static_cast<C>(x < 0 ? sum - wide : sum + wide);
        default: return join(acc, x);
      }
    }
  }
  // Two partial results.
  C join(C a, C b) const {
    if constexpr (std::is_floating_point_v<C>) {
      switch (kind) {
        case ReduceKind::prod: return a * b;
        case ReduceKind::max: return a != a || b != b ? a + b : a > b || (a == b && !std::signbit(a)) ? a : b;
        case ReduceKind::min: return a != a || b != b ? a + b : a < b || (a == b && std::signbit(a)) ? a : b;
        default: return a + b;
      }
    } else {
      switch (kind) {
        case ReduceKind::prod: return static_cast<C>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
        case ReduceKind::max: return a > b ? a : b;
        case ReduceKind::min: return a < b ? a : b;
        default: return static_cast<C>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
      }
    }
  }
  C finish(C total, int64_t count) const {
    if constexpr (std::is_floating_point_v<C>) {
      switch (kind) {
        case ReduceKind::mean: return total / static_cast<C>(count);
        case ReduceKind::l2: return std::sqrt(total);
        case ReduceKind::log_sum: return log_of(total);
        case ReduceKind::log_sum_exp: return log_of(total) + shift;
        default: return total;
      }
    } else {
      if (kind == ReduceKind::mean) return count == 0 ? C{} : static_cast<C>(total / static_cast<C>(count));
      if (kind == ReduceKind::l2) return total <= C{0} ? C{} : static_cast<C>(std::sqrt(static_cast<double>(total)));
      return total;
    }
  }
};

// value(r) for r = 0..count-1 in order.
template <class C, class Value> C reduce_values(const Steps<C>& steps, bool lanes, int64_t count, Value value) {
  C total = steps.start();
  const int64_t block = lanes ? kLaneBlock : kChainBlock;
  for (int64_t b = 0; b < count; b += block) {
    const int64_t end = std::min(count, b + block);
    C part = steps.start();
    if (lanes) {
      C lane[kReductionLanes];
      for (C& v : lane) v = steps.start();
      for (int64_t r = b; r < end; ++r) lane[r % kReductionLanes] = steps.take(lane[r % kReductionLanes], value(r));
      for (int h = kReductionLanes / 2; h >= 1; h /= 2)
        for (int i = 0; i < h; ++i) lane[i] = steps.join(lane[i], lane[i + h]);
      part = lane[0];
    } else {
      for (int64_t r = b; r < end; ++r) part = steps.take(part, value(r));
    }
    total = b == 0 ? part : steps.join(total, part);
  }
  return total;
}

// Modulo 2^n a mean would be wrong as soon as the sum wraps: integers narrower than 64 bits are averaged in 64.
template <class C>
using MeanType = std::conditional_t<std::is_floating_point_v<C>, C, std::conditional_t<std::is_signed_v<C>, int64_t, uint64_t>>;

template <class T>
typename ComputeType<T>::type reduce_one(ReduceKind kind, bool lanes, int64_t count, Walker at, const ReducedAxes& axes) {
  using C = std::conditional_t<std::is_same_v<T, bool>, uint8_t, typename ComputeType<T>::type>;
  const auto value = [&](int64_t r) {
    int64_t offset = 0;
    for (int k = axes.rank - 1; k >= 0; --k) {
      offset += r % axes.dims[k] * axes.in_strides[k];
      r /= axes.dims[k];
    }
    return static_cast<C>(load_element<T>(at.at + offset * static_cast<int64_t>(sizeof(T))));
  };
  if constexpr (!std::is_floating_point_v<C>)
    if (kind == ReduceKind::mean) {
      using M = MeanType<C>;
      const Steps<M> steps{kind};
      return static_cast<typename ComputeType<T>::type>(
          steps.finish(reduce_values(steps, lanes, count, [&](int64_t r) { return static_cast<M>(value(r)); }), count));
    }
  Steps<C> steps{kind};
  if constexpr (std::is_floating_point_v<C>)
    if (kind == ReduceKind::log_sum_exp) {
      const C m = reduce_values(Steps<C>{ReduceKind::max}, lanes, count, value);
      steps.shift = std::isinf(m) ? C{} : m;
    }
  return static_cast<typename ComputeType<T>::type>(steps.finish(reduce_values(steps, lanes, count, value), count));
}

class ReduceReference final : public HostKernel {
 public:
  const char* name() const noexcept override { return "reduce.reference"; }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem& p) const noexcept override {
    const Reduce* op = as<Reduce>(*p.op);
    if (!op) return no("another operator");
    if (p.post_ops->count != 0) return no("post-ops are not fused into reductions");
    if (!dtype_is_float(p.in[0].dtype) && (op->reduction() == ReduceKind::log_sum || op->reduction() == ReduceKind::log_sum_exp))
      return no("logarithms of integer sums are not there");
    return yes();
  }
  void plan(const Args&, Plan* plan) const noexcept override { plan->scratch = 0; }
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int) const noexcept override { return 0; }
  Status run(const Plan&, const Args& args) const noexcept override {
    const Reduce& op = *as<Reduce>(*args.op);
    const TensorView &x = args.in[0], &y = args.out[0];
    uint32_t mask;
    ANYDIM_TRY(op.axis_mask(x.rank(), &mask));
    // Outputs are walked in their own dims: the input's kept strides, aligned with them.
    Walker w[2] = {walker(y, y.dims), {}};
    w[1].at = static_cast<std::byte*>(x.data);
    ReducedAxes axes;
    axes.rank = 0;
    int64_t count = 1;
    for (int a = 0, o = 0; a < x.rank(); ++a) {
      if (mask >> a & 1) {
        count *= x.dims[a];
        axes.dims[axes.rank] = x.dims[a];
        axes.in_strides[axes.rank++] = x.strides[a];
        o += op.keepdims();
      } else {
        w[1].steps[o++] = x.strides[a] * dtype_size(x.dtype);
      }
    }
    const bool lanes = x.rank() > 0 && mask == 1u << (x.rank() - 1);
    visit_dtype(x.dtype, [&](auto tag) {
      using T = decltype(tag);
      for_each_element(y.dims, w, [&] { store_element<T>(w[0].at, reduce_one<T>(op.reduction(), lanes, count, w[1], axes)); });
    });
    return {};
  }

 private:
  KernelKey key_{.op = OpKind::reduce, .src = DType::none, .dst = DType::none};
};

const ReduceReference reduce_reference;

}  // namespace

constinit const HostKernel* const kReduceReference = &reduce_reference;

}  // namespace anydim
