// SPDX-License-Identifier: Apache-2.0
// The reference kernels for softmax and layer norm on every float dtype, as docs/numerics.md, section 3, reads: 16-bit
// floats compute in binary32 and round once, binary64 follows the same order in binary64.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/kernels/eltwise/elements.h"
#include "core/kernels/eltwise/functions.h"
#include "core/kernels/epilogue/reference_chain.h"
#include "core/kernels/norm/norm.h"
#include "core/kernels/plain_kernel.h"
#include "core/kernels/reduce/axes.h"
#include "core/ops/operators/layer_norm.h"
#include "core/ops/operators/softmax.h"

namespace anydim {

namespace {

float exp_of(float x) { return f32_function(UnaryFunction::exp, x, 0, 0); }
float log_of(float x) { return f32_function(UnaryFunction::log, x, 0, 0); }
double exp_of(double x) { return f64_function(UnaryFunction::exp, x, 0, 0); }
double log_of(double x) { return f64_function(UnaryFunction::log, x, 0, 0); }

// The sum of step(acc, r), r in order, by the lane rule or the chain rule (section 2).
template <class C, class Step> C ordered_sum(bool lanes, int64_t count, Step step) {
  C total = 0;
  const int64_t block = lanes ? kLaneBlock : kChainBlock;
  for (int64_t b = 0; b < count; b += block) {
    const int64_t end = std::min(count, b + block);
    C lane[kReductionLanes] = {};
    for (int64_t r = b; r < end; ++r) {
      C& acc = lane[lanes ? r % kReductionLanes : 0];
      acc = step(acc, r);
    }
    for (int h = kReductionLanes / 2; lanes && h >= 1; h /= 2)
      for (int i = 0; i < h; ++i) lane[i] = lane[i] + lane[i + h];
    total = b == 0 ? lane[0] : total + lane[0];
  }
  return total;
}

class SoftmaxReference final : public PlainKernel {
 public:
  constexpr SoftmaxReference() noexcept : PlainKernel("softmax.reference", OpKind::softmax) {}
  Status run(const Plan&, const Args& args) const noexcept override {
    const Softmax& op = *as<Softmax>(*args.op);
    const TensorView &x = args.in[0], &y = args.out[0];
    int axis;
    ANYDIM_TRY(normalise_axis(op.axis(), x.rank(), "softmax: axis", &axis));
    const bool lanes = axis == x.rank() - 1;
    const int64_t n = x.dims[axis], size = dtype_size(x.dtype);
    const int64_t in_step = x.strides[axis] * size, out_step = y.strides[axis] * size;
    Dims kept = x.dims;
    kept[axis] = n > 0 ? 1 : 0;
    Walker w[2] = {walker(y, x.dims), walker(x, x.dims)};
    visit_dtype(x.dtype, [&](auto tag) {
      using T = decltype(tag);
      using C = typename ComputeType<T>::type;
      if constexpr (kIsFloat<T>)
        for_each_element(kept, w, [&] {
          const auto value = [&](int64_t r) { return load_element<T>(w[1].at + r * in_step); };
          C m = -std::numeric_limits<C>::infinity();
          for (int64_t r = 0; r < n; ++r) {
            const C v = value(r);
            m = m != m || v != v ? m + v : m < v ? v : m;
          }
          const C s = ordered_sum<C>(lanes, n, [&](C acc, int64_t r) { return acc + exp_of(value(r) - m); });
          // In place the values would be gone once an element is stored; each is read once more, just before.
          for (int64_t r = 0; r < n; ++r)
            store_element<T>(w[0].at + r * out_step, op.log() ? (value(r) - m) - log_of(s) : exp_of(value(r) - m) * (C{1} / s));
        });
    });
    return {};
  }
};

class LayerNormReference final : public PlainKernel {
 public:
  constexpr LayerNormReference() noexcept : PlainKernel("layer_norm.reference", OpKind::layer_norm) {}
  Support supports(const Problem& p) const noexcept override {
    if (!as<LayerNorm>(*p.op)) return no("another operator");
    if (p.in[0].dtype != DType::f64) return supports_post_ops(p);
    return p.post_ops->count == 0 ? yes() : no("post-ops are not fused into layer norm of f64");
  }
  Status run(const Plan&, const Args& args) const noexcept override {
    const LayerNorm& op = *as<LayerNorm>(*args.op);
    const TensorView &x = args.in[0], &y = args.out[0];
    int axis;
    ANYDIM_TRY(normalise_axis(op.axis(), x.rank(), "layer_norm: axis", &axis));
    const int64_t size = dtype_size(x.dtype);
    Dims kept = x.dims, normalised;
    int64_t n = 1;
    for (int a = axis; a < x.rank(); ++a) {
      n *= x.dims[a];
      normalised.push_back(x.dims[a]);
      kept[a] = x.dims[a] > 0 ? 1 : 0;
    }
    Walker w[2] = {walker(y, x.dims), walker(x, x.dims)};
    // Element r of the normalised axes, in row-major order, of a tensor with these strides.
    const auto at = [&](std::byte* base, const int64_t* strides, int64_t r) {
      for (int a = normalised.rank - 1; a >= 0; --a) {
        base += r % normalised[a] * strides[a] * size;
        r /= normalised[a];
      }
      return base;
    };
    const auto present = [&](size_t i) { return args.in.size() > i && args.in[i].dtype != DType::none; };
    int64_t rows = 0;
    // Where element r of the current row is in the output.
    const auto coordinates = [&](int64_t r) {
      Dims c = x.dims;
      int64_t rest = rows * n + r;
      for (int a = c.rank - 1; a >= 0; --a) {
        c[a] = rest % x.dims[a];
        rest /= x.dims[a];
      }
      return c;
    };
    visit_dtype(x.dtype, [&](auto tag) {
      using T = decltype(tag);
      using C = typename ComputeType<T>::type;
      if constexpr (kIsFloat<T>)
        for_each_element(kept, w, [&] {
          const auto value = [&](int64_t r) { return load_element<T>(at(w[1].at, x.strides.values + axis, r)); };
          const auto parameter = [&](size_t i, int64_t r) {
            return load_element<T>(at(static_cast<std::byte*>(args.in[i].data), args.in[i].strides.values, r));
          };
          const C count = static_cast<C>(n);
          const C mean = ordered_sum<C>(true, n, [&](C acc, int64_t r) { return acc + value(r); }) / count;
          const C v = ordered_sum<C>(true, n,
                                     [&](C acc, int64_t r) {
                                       const C d = value(r) - mean;
                                       return std::fma(d, d, acc);
                                     }) /
                      count;
          const C rstd = C{1} / std::sqrt(v + static_cast<C>(op.epsilon()));
          for (int64_t r = 0; r < n; ++r) {
            C o = (value(r) - mean) * rstd;
            if (present(1) && present(2)) o = std::fma(o, parameter(1, r), parameter(2, r));
            else if (present(1)) o = o * parameter(1, r);
            else if (present(2)) o = o + parameter(2, r);
            if (args.post_ops->count > 0) o = reference_chain(*args.post_ops, args.post_in, y.dims, coordinates(r), o);
            store_element<T>(at(w[0].at, y.strides.values + axis, r), o);
          }
          ++rows;
        });
    });
    return {};
  }
};

const SoftmaxReference softmax_reference;
const LayerNormReference layer_norm_reference;

}  // namespace

constinit const HostKernel* const kSoftmaxReference = &softmax_reference;
constinit const HostKernel* const kLayerNormReference = &layer_norm_reference;

}  // namespace anydim
