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
      if (in_folds(axes, args.parallel.threads())) {
        reduce_folds(op.reduction(), x.as<const float>(), axes, y.as<float>());
        return {};
      }
      if (in_runs(axes)) {
        run_strips(axes, true, args.parallel, [&](int64_t in, int64_t out, int64_t width) {
          reduce_runs(op.reduction(), x.as<const float>() + in, axes, y.as<float>() + out, width);
        });
        return {};
      }
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

  // The largest or the least, whose order is free: of runs of elements side by side that lie apart, a partial result for each run.
  static constexpr int64_t kRuns = 64;
  static bool in_runs(const SplitAxes& axes) noexcept {
    const ReducedAxes& r = axes.reduced;
    return r.rank == 2 && r.in_strides[1] == 1 && r.dims[1] >= 32 && r.dims[0] <= kRuns;
  }
  void reduce_runs(ReduceKind kind, const float* x, const SplitAxes& axes, float* y, int64_t width) const noexcept {
    const ReducedAxes& r = axes.reduced;
    ReducedAxes along, across;
    along.count = along.dims[0] = r.dims[1];
    along.in_strides[0] = 1;
    across.count = across.dims[0] = r.dims[0];
    across.in_strides[0] = kRuns;
    float part[kRuns * kRuns];
    for (int64_t first = 0; first < width; first += kRuns) {
      const int64_t n = std::min(kRuns, width - first);
      for (int64_t k = 0; k < r.dims[0]; ++k)
        strip_({kind, true, x + first * axes.in_stride + k * r.in_strides[0], part + k * kRuns, n, axes.in_stride, 1, &along});
      strip_({kind, false, part, y + first * axes.out_stride, n, 1, axes.out_stride, &across});
    }
  }
  // And of few outputs side by side whose positions follow each other without a gap: several positions are one row of more outputs.
  static constexpr int64_t kFold = 64, kFewOutputs = 16;
  static bool in_folds(const SplitAxes& axes, int threads) noexcept {
    const ReducedAxes& r = axes.reduced;
    return axes.outer_count == 1 && axes.width > 1 && axes.width <= kFewOutputs && axes.in_stride == 1 && r.rank == 1 &&
           r.in_strides[0] == axes.width && r.count >= 8 * kFold && (threads == 1 || r.count * axes.width < kPart);
  }
  void reduce_folds(ReduceKind kind, const float* x, const SplitAxes& axes, float* y) const noexcept {
    const int64_t width = axes.width, fold = kFold / width, rows = axes.reduced.count / fold, left = axes.reduced.count - rows * fold;
    ReducedAxes down;
    float part[kFold + kFewOutputs];
    const auto reduce = [&](const float* from, int64_t outputs, int64_t count, float* to, int64_t out_stride) {
      down.count = down.dims[0] = count;
      down.in_strides[0] = outputs;
      strip_({kind, false, from, to, outputs, 1, out_stride, &down});
    };
    reduce(x, width * fold, rows, part, 1);
    if (left > 0) reduce(x + rows * fold * width, width, left, part + fold * width, 1);
    reduce(part, width, fold + (left > 0 ? 1 : 0), y, axes.out_stride);
  }

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
  static const auto all = kernel_list(SetBySet(floats, integers), kept<"reduce.reference", kReduceReference>(), running,
                                      kept<"cumsum.reference", kCumSumReference>());
  return all;
}

}  // namespace anydim
