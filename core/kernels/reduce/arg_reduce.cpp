// SPDX-License-Identifier: Apache-2.0
// The arg_reduce kernels, one per instruction set: axes split once per run, outputs cut into tasks.
#include "core/kernels/plain_kernel.h"
#include "core/kernels/reduce/arg_lines.h"
#include "core/kernels/reduce/reduce.h"
#include "core/kernels/reduce/strip_tasks.h"
#include "core/kernels/sets.h"
#include "core/ops/operators/arg_reduce.h"

namespace anydim {

namespace {

class ArgReduceKernel final : public PlainKernel {
 public:
  constexpr ArgReduceKernel(const char* name, Isa isa, ArgOfStrip::Function* strip) noexcept
      : PlainKernel(name, OpKind::arg_reduce, isa), strip_(strip) {}

  Support supports(const Problem& p) const noexcept override {
    // What scores and ids come in; each dtype is 40 KB of code here.
    const DType t = p.in[0].dtype;
    if (t != DType::f32 && t != DType::u8 && t != DType::i32 && t != DType::i64 && t != DType::f64)
      return no("input 0 is not f32, f64, u8, i32 or i64");
    if (const ArgReduce* op = as<ArgReduce>(*p.op); op && t == DType::f64 && op->select_last()) return no("the last of equal f64");
    return PlainKernel::supports(p);
  }
  Status run(const Plan& plan, const Args& args) const noexcept override {
    const ArgReduce& op = *as<ArgReduce>(*args.op);
    const TensorView &x = args.in[0], &y = args.out[0];
    int axis;
    ANYDIM_TRY(normalise_axis(op.axis(), x.rank(), "arg_reduce: axis", &axis));
    const int64_t count = x.dims[axis];
    // Nothing to compare is an error that the reference words; places have 32 bits here.
    if (count == 0 || count > INT32_MAX) return kArgReduceReference->run(plan, args);
    if (y.count() == 0) return {};
    const SplitAxes axes = reduction_axes(x, y, 1u << axis, op.keepdims());
    const int64_t step = axes.reduced.in_strides[0], size = dtype_size(x.dtype);
    run_strips(axes, step == 1, args.parallel, [&](int64_t in, int64_t out, int64_t width) {
      strip_({x.dtype, op.max(), op.select_last(), x.as<const std::byte>() + in * size, y.as<int64_t>() + out, width, axes.in_stride,
              axes.out_stride, count, step});
    });
    return {};
  }

 private:
  ArgOfStrip::Function* strip_;
};

}  // namespace

KernelList arg_reduce_kernels() noexcept {
  static const KernelsOfSets<"arg_reduce.lines", ArgReduceKernel, ArgOfStrip> lines;
  static const auto all = kernel_list(lines, kept<"arg_reduce.reference", kArgReduceReference>());
  return all;
}

}  // namespace anydim
