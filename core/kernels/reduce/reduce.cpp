// SPDX-License-Identifier: Apache-2.0
// The f32 reduction kernels, one per instruction set: axes split once per run, outputs cut into tasks. And the family's list.
#include "core/kernels/reduce/reduce.h"

#include <algorithm>

#include "core/base/checked.h"
#include "core/kernels/reduce/integers.h"
#include "core/kernels/reduce/running_sums.h"
#include "core/kernels/reduce/strip_tasks.h"
#include "core/kernels/reduce/strips.h"
#include "core/kernels/sets.h"
#include "core/ops/operators/reduce.h"

namespace anydim {

namespace {

class ReduceKernel final : public HostKernel {
 public:
  constexpr ReduceKernel(const char* name, Isa isa, ReduceOfStrip::Function* strip) noexcept
      : name_(name), key_{.op = OpKind::reduce, .isa = isa}, strip_(strip) {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }

  Support supports(const Problem& p) const noexcept override {
    if (!as<Reduce>(*p.op)) return no("another operator");
    if (p.in[0].dtype != DType::f32) return no("the input is not f32");
    if (p.post_ops->count != 0) return no("post-ops are not fused into reductions");
    return yes();
  }
  void plan(const Args&, Plan* plan) const noexcept override { plan->scratch = 0; }
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int) const noexcept override { return 0; }

  Status run(const Plan&, const Args& args) const noexcept override {
    const Reduce& op = *as<Reduce>(*args.op);
    const TensorView &x = args.in[0], &y = args.out[0];
    if (y.count() == 0) return {};
    uint32_t mask;
    ANYDIM_TRY(op.axis_mask(x.rank(), &mask));
    SplitAxes axes = reduction_axes(x, y, mask, op.keepdims());
    bool lanes = x.rank() > 0 && mask == 1u << (x.rank() - 1);
    // The largest and the least of numbers are the same in any order: that of memory.
    if (op.reduction() == ReduceKind::max || op.reduction() == ReduceKind::min) {
      sort_by_memory(&axes.reduced);
      const bool dense = axes.reduced.rank == 1 && axes.reduced.in_strides[0] == 1;
      lanes = lanes || dense;
      if (dense && axes.outer_count * axes.width == 1 && args.parallel.threads() > 1 && axes.reduced.count > 2 * kPart) {
        reduce_parts(op.reduction(), x.as<const float>(), axes.reduced.count, args.parallel, y.as<float>());
        return {};
      }
    }

    run_strips(axes, lanes && axes.reduced.in_strides[0] == 1, args.parallel, [&](int64_t in, int64_t out, int64_t width) {
      strip_({op.reduction(), lanes, x.as<float>() + in, y.as<float>() + out, width, axes.in_stride, axes.out_stride, &axes.reduced});
    });
    return {};
  }

 private:
  static constexpr int64_t kPart = 16 << 10;  // elements of a task, at least
  static constexpr int64_t kMostParts = 64;

  // One result of many elements side by side: a part for each task, then the parts.
  void reduce_parts(ReduceKind kind, const float* x, int64_t count, const Parallel& parallel, float* y) const noexcept {
    const int64_t parts = std::clamp<int64_t>(count / kPart, 1, kMostParts), each = ceil_div(count, parts);
    float of_part[kMostParts];
    const auto row = [&](const float* from, int64_t n, float* to) {
      ReducedAxes axes;
      axes.count = axes.dims[0] = n;
      axes.in_strides[0] = 1;
      strip_({kind, true, from, to, 1, 0, 0, &axes});
    };
    const int64_t filled = ceil_div(count, each);
    parallel.run(filled, [&](int64_t t, int) { row(x + t * each, std::min(each, count - t * each), of_part + t); });
    row(of_part, filled, y);
  }

  const char* name_;
  KernelKey key_;
  ReduceOfStrip::Function* strip_;
};

}  // namespace

KernelList reduce_kernels() noexcept {
  static const KernelsOfSets<"reduce", ReduceKernel, ReduceOfStrip> floats;
  static const KernelsOfSets<"reduce.integers", IntegerReduce, IntegerStepsOf> integers;
  static const KernelsOfSets<"cumsum.rows", RunningSums, RunningRowsOf, TypedRows> running;
  static const auto all = kernel_list(SetBySet(floats, integers), kReduceReference, running, kCumSumReference);
  return all;
}

}  // namespace anydim
