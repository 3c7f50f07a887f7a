// SPDX-License-Identifier: Apache-2.0
// Reductions, softmax and layer norm of f64 by rows, and the list of the family. See doubles.h.
#include "core/kernels/doubles/doubles.h"

#include "core/kernels/doubles/pool.h"
#include "core/kernels/doubles/product.h"
#include "core/kernels/doubles/rows.h"
#include "core/kernels/norm/norm.h"
#include "core/kernels/plain_kernel.h"
#include "core/kernels/reduce/reduce.h"
#include "core/kernels/reduce/strip_tasks.h"
#include "core/kernels/x86.h"
#include "core/ops/layer_norm.h"
#include "core/ops/reduce.h"
#include "core/ops/softmax.h"

namespace anydim {

namespace {

constexpr int64_t kTaskElements = 8 << 10;

// What all kernels of rows say of a problem.
class DoubleRowsKernel : public PlainKernel {
 public:
  constexpr DoubleRowsKernel(const char* name, OpKind op, Isa isa, const DoubleRows& rows) noexcept
      : PlainKernel(name, op, isa), rows_(rows) {}
  Support supports(const Problem& p) const noexcept override {
    if (p.op->kind() == key().op && p.in[0].dtype != DType::f64) return no("the input is not f64");
    return PlainKernel::supports(p);
  }

 protected:
  const DoubleRows& rows_;
};

class DoubleReduce final : public DoubleRowsKernel {
 public:
  constexpr DoubleReduce(const char* name, Isa isa, const DoubleRows& rows) noexcept : DoubleRowsKernel(name, OpKind::reduce, isa, rows) {}
  Support supports(const Problem& p) const noexcept override {
    if (const Reduce* op = as<Reduce>(*p.op); op && !has_double_rows(op->reduction())) return no("a logarithm is taken");
    return DoubleRowsKernel::supports(p);
  }
  Status run(const Plan& plan, const Args& args) const noexcept override {
    const Reduce& op = *as<Reduce>(*args.op);
    const TensorView &x = args.in[0], &y = args.out[0];
    if (y.count() == 0) return {};
    uint32_t mask;
    ANYDIM_TRY(op.axis_mask(x.rank(), &mask));
    const SplitAxes axes = reduction_axes(x, y, mask, op.keepdims());
    const bool lanes = x.rank() > 0 && mask == 1u << (x.rank() - 1);
    if (lanes ? axes.reduced.in_strides[0] != 1 && axes.reduced.count > 1 : axes.in_stride != 1 && axes.width > 1)
      return kReduceReference->run(plan, args);
    run_strips(axes, lanes, args.parallel, [&](int64_t in, int64_t out, int64_t width) {
      const double* from = x.as<const double>() + in;
      double* to = y.as<double>() + out;
      if (lanes) {
        for (int64_t i = 0; i < width; ++i)
          to[i * axes.out_stride] = rows_.reduce(op.reduction(), from + i * axes.in_stride, axes.reduced.count);
      } else {
        rows_.chains({op.reduction(), from, to, width, axes.out_stride, &axes.reduced});
      }
    });
    return {};
  }
};

// Offsets of row `i` of the first `axes` axes of a tensor.
int64_t row_offset(const Dims& dims, const Strides& strides, int axes, int64_t i) noexcept {
  int64_t offset = 0;
  for (int a = axes - 1; a >= 0; --a) {
    offset += i % dims[a] * strides[a];
    i /= dims[a];
  }
  return offset;
}
// Calls f(first row, row behind the last) for parts of `rows` rows of n elements.
template <class F> void in_parts(int64_t rows, int64_t n, const Parallel& parallel, F f) noexcept {
  const int64_t each = std::max<int64_t>(1, kTaskElements / std::max<int64_t>(n, 1));
  parallel.run(ceil_div(rows, each), [&](int64_t t, int) { f(t * each, std::min(rows, (t + 1) * each)); });
}
// Whether the axes from `first` on lie side by side.
bool dense_from(const TensorView& t, int first) noexcept {
  int64_t step = 1;
  for (int a = t.rank() - 1; a >= first; --a) {
    if (t.dims[a] != 1 && t.strides[a] != step) return false;
    step *= t.dims[a];
  }
  return true;
}

class DoubleSoftmax final : public DoubleRowsKernel {
 public:
  constexpr DoubleSoftmax(const char* name, Isa isa, const DoubleRows& rows) noexcept
      : DoubleRowsKernel(name, OpKind::softmax, isa, rows) {}
  Support supports(const Problem& p) const noexcept override {
    if (const Softmax* op = as<Softmax>(*p.op); op && op->log()) return no("a logarithm is taken");
    return DoubleRowsKernel::supports(p);
  }
  Status run(const Plan& plan, const Args& args) const noexcept override {
    const TensorView &x = args.in[0], &y = args.out[0];
    int axis;
    ANYDIM_TRY(normalise_axis(as<Softmax>(*args.op)->axis(), x.rank(), "softmax: axis", &axis));
    if (x.count() == 0) return {};
    if (axis != x.rank() - 1 || !dense_from(x, axis) || !dense_from(y, axis)) return kSoftmaxReference->run(plan, args);
    const int64_t n = x.dims[axis];
    in_parts(x.count() / n, n, args.parallel, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        rows_.softmax(x.as<const double>() + row_offset(x.dims, x.strides, axis, i),
                      y.as<double>() + row_offset(y.dims, y.strides, axis, i), n);
    });
    return {};
  }
};

class DoubleLayerNorm final : public DoubleRowsKernel {
 public:
  constexpr DoubleLayerNorm(const char* name, Isa isa, const DoubleRows& rows) noexcept
      : DoubleRowsKernel(name, OpKind::layer_norm, isa, rows) {}
  Status run(const Plan& plan, const Args& args) const noexcept override {
    const LayerNorm& op = *as<LayerNorm>(*args.op);
    const TensorView &x = args.in[0], &y = args.out[0];
    int axis;
    ANYDIM_TRY(normalise_axis(op.axis(), x.rank(), "layer_norm: axis", &axis));
    if (x.count() == 0) return {};
    const double* parameters[2] = {};
    bool dense = dense_from(x, axis) && dense_from(y, axis);
    for (size_t i = 1; i < args.in.size() && i < 3; ++i) {
      if (args.in[i].dtype == DType::none) continue;
      dense = dense && dense_from(args.in[i], 0);
      parameters[i - 1] = args.in[i].as<const double>();
    }
    if (!dense) return kLayerNormReference->run(plan, args);
    int64_t n = 1;
    for (int a = axis; a < x.rank(); ++a) n *= x.dims[a];
    in_parts(x.count() / n, n, args.parallel, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        rows_.layer_norm(x.as<const double>() + row_offset(x.dims, x.strides, axis, i), parameters[0], parameters[1],
                         static_cast<double>(op.epsilon()), y.as<double>() + row_offset(y.dims, y.strides, axis, i), n);
    });
    return {};
  }
};

}  // namespace

KernelList doubles_kernels() noexcept {
  static const DoubleProduct product("gemm.doubles.portable", Isa::portable, kDoubleRowsPortable);
  static const DoubleReduce reduce("reduce.doubles.portable", Isa::portable, kDoubleRowsPortable);
  static const DoubleSoftmax softmax("softmax.doubles.portable", Isa::portable, kDoubleRowsPortable);
  static const DoubleLayerNorm norm("layer_norm.doubles.portable", Isa::portable, kDoubleRowsPortable);
  static const DoubleMaxPool pool("pool.doubles.portable", Isa::portable, kDoubleRowsPortable);
  static const HostKernel* const everywhere[] = {&product, &reduce, &softmax, &norm, &pool};
  if constexpr (kX86) {
    static const DoubleProduct product_512("gemm.doubles.avx512", Isa::avx512, kDoubleRowsAvx512);
    static const DoubleReduce reduce_512("reduce.doubles.avx512", Isa::avx512, kDoubleRowsAvx512);
    static const DoubleSoftmax softmax_512("softmax.doubles.avx512", Isa::avx512, kDoubleRowsAvx512);
    static const DoubleLayerNorm norm_512("layer_norm.doubles.avx512", Isa::avx512, kDoubleRowsAvx512);
    static const DoubleMaxPool pool_512("pool.doubles.avx512", Isa::avx512, kDoubleRowsAvx512);
    static const DoubleProduct product_2("gemm.doubles.avx2", Isa::avx2, kDoubleRowsAvx2);
    static const DoubleReduce reduce_2("reduce.doubles.avx2", Isa::avx2, kDoubleRowsAvx2);
    static const DoubleSoftmax softmax_2("softmax.doubles.avx2", Isa::avx2, kDoubleRowsAvx2);
    static const DoubleLayerNorm norm_2("layer_norm.doubles.avx2", Isa::avx2, kDoubleRowsAvx2);
    static const DoubleMaxPool pool_2("pool.doubles.avx2", Isa::avx2, kDoubleRowsAvx2);
    static const auto all = kernel_list(
        {&product_512, &reduce_512, &softmax_512, &norm_512, &pool_512, &product_2, &reduce_2, &softmax_2, &norm_2, &pool_2}, everywhere);
    return all;
  }
  return everywhere;
}

}  // namespace anydim
