// SPDX-License-Identifier: Apache-2.0
// The kernel objects of the family: which dtypes each operator's function takes, and the list.
#include "core/kernels/gather/gather.h"

#include "core/kernels/gather/plain.h"
#include "core/kernels/sets.h"
#include "core/ops/operators/scatter_elements.h"
#include "core/ops/operators/scatter_nd.h"
#include "core/ops/operators/topk.h"

namespace anydim {

namespace {

bool is_16_bit_float(DType t) noexcept { return t == DType::f16 || t == DType::bf16; }

Support takes_any(const Problem&) noexcept { return yes(); }
Support takes_reduction(const Problem& p) noexcept {
  const ScatterReduction r = p.op->kind() == OpKind::scatter_nd ? static_cast<const ScatterNd*>(p.op)->reduction()
                                                                : static_cast<const ScatterElements*>(p.op)->reduction();
  const DType t = p.in[0].dtype;
  if (r == ScatterReduction::none) return yes();
  if (t == DType::boolean) return no("booleans cannot be combined");
  return is_16_bit_float(t) ? no("16-bit floats are combined in binary32 (kernels .half)") : yes();
}
Support takes_plain_output(const Problem& p) noexcept {
  return is_16_bit_float(p.out[0].dtype) ? no("the output is a 16-bit float") : yes();
}
Support takes_plain_input(const Problem& p) noexcept { return is_16_bit_float(p.in[0].dtype) ? no("input 0 is a 16-bit float") : yes(); }
Support takes_ordered_input(const Problem& p) noexcept {
  return p.in[0].dtype == DType::boolean ? no("input 0 is boolean") : takes_plain_input(p);
}

class Mover : public HostKernel {
 public:
  using Takes = Support (*)(const Problem&) noexcept;
  constexpr Mover(const char* name, OpKind op, Takes takes, Isa isa = Isa::portable)
      : name_(name), key_{.op = op, .src = DType::none, .dst = DType::none, .isa = isa}, takes_(takes) {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem& p) const noexcept override { return p.post_ops->count > 0 ? no("a mover takes no post-ops") : takes_(p); }
  void plan(const Args& args, Plan* plan) const noexcept override {
    plan->scratch = key_.op == OpKind::topk ? topk_scratch(axis_dim(*args.op, args.in[0].dims), args.parallel.threads()) : 0;
  }
  int64_t scratch_bound(const Problem& p, std::span<const Dims> in, std::span<const Dims>, int threads) const noexcept override {
    return key_.op == OpKind::topk ? topk_scratch(axis_dim(*p.op, in[0]), threads) : 0;
  }

 private:
  static int64_t axis_dim(const Operator& op, const Dims& in) noexcept { return in[static_cast<const TopK&>(op).get().axis]; }
  const char* name_;
  KernelKey key_;
  Takes takes_;
};

class PlainMover final : public Mover {
 public:
  using Run = Status (*)(const Args&) noexcept;
  constexpr PlainMover(const char* name, OpKind op, Run run, Takes takes = takes_any) : Mover(name, op, takes), run_(run) {}
  Status run(const Plan&, const Args& args) const noexcept override { return run_(args); }

 private:
  Run run_;
};

class IndexMover final : public Mover {
 public:
  using Run = Status (*)(const Args&, const IndexSteps&) noexcept;
  constexpr IndexMover(const char* name, Isa isa, const IndexSteps& steps, OpKind op, Run run, Takes takes = takes_any)
      : Mover(name, op, takes, isa), run_(run), steps_(steps) {}
  Status run(const Plan&, const Args& args) const noexcept override { return run_(args, steps_); }

 private:
  Run run_;
  const IndexSteps& steps_;
};

const PlainMover kRange("range.line.portable", OpKind::range, run_range, takes_plain_output);
const PlainMover kOneHot("one_hot.fill.portable", OpKind::one_hot, run_one_hot, takes_plain_input);
const PlainMover kTrilu("trilu.lines.portable", OpKind::trilu, run_trilu);
const PlainMover kEyeLike("eye_like.fill.portable", OpKind::eye_like, run_eye_like);
const PlainMover kTopK("topk.lines.portable", OpKind::topk, run_topk, takes_ordered_input);

const PlainMover kGatherReference("gather.reference", OpKind::gather, reference_gather);
const PlainMover kGatherElementsReference("gather_elements.reference", OpKind::gather_elements, reference_gather_elements);
const PlainMover kGatherNdReference("gather_nd.reference", OpKind::gather_nd, reference_gather_nd);
const PlainMover kScatterElementsReference("scatter_elements.reference", OpKind::scatter_elements, reference_scatter_elements,
                                           takes_reduction);
const PlainMover kScatterNdReference("scatter_nd.reference", OpKind::scatter_nd, reference_scatter_nd, takes_reduction);
const PlainMover kRangeReference("range.reference", OpKind::range, reference_range, takes_plain_output);
const PlainMover kShapeTensorReference("shape_tensor.reference", OpKind::shape_tensor, reference_shape_tensor, takes_plain_output);
const PlainMover kOneHotReference("one_hot.reference", OpKind::one_hot, reference_one_hot, takes_plain_input);
const PlainMover kTriluReference("trilu.reference", OpKind::trilu, reference_trilu);
const PlainMover kEyeLikeReference("eye_like.reference", OpKind::eye_like, reference_eye_like);
const PlainMover kTopKReference("topk.reference", OpKind::topk, reference_topk, takes_ordered_input);

}  // namespace

KernelList gather_kernels() noexcept {
  static const KernelsOfSets<"gather.slices", IndexMover, IndexSteps> gather(OpKind::gather, run_gather);
  static const KernelsOfSets<"gather_elements.lines", IndexMover, IndexSteps> gather_elements(OpKind::gather_elements, run_gather_elements);
  static const KernelsOfSets<"gather_nd.slices", IndexMover, IndexSteps> gather_nd(OpKind::gather_nd, run_gather_nd);
  static const KernelsOfSets<"scatter_elements.lines", IndexMover, IndexSteps> scatter_elements(OpKind::scatter_elements,
                                                                                                run_scatter_elements, takes_reduction);
  static const KernelsOfSets<"scatter_nd.slices", IndexMover, IndexSteps> scatter_nd(OpKind::scatter_nd, run_scatter_nd, takes_reduction);
  static const auto all = kernel_list(
      gather, gather_elements, gather_nd, scatter_elements, scatter_nd, kept<"range.line.portable", kRange>(),
      kept<"one_hot.fill.portable", kOneHot>(), kept<"trilu.lines.portable", kTrilu>(), kept<"eye_like.fill.portable", kEyeLike>(),
      kept<"topk.lines.portable", kTopK>(), kept<"gather.reference", kGatherReference>(),
      kept<"gather_elements.reference", kGatherElementsReference>(), kept<"gather_nd.reference", kGatherNdReference>(),
      kept<"scatter_elements.reference", kScatterElementsReference>(), kept<"scatter_nd.reference", kScatterNdReference>(),
      kept<"range.reference", kRangeReference>(), kept<"shape_tensor.reference", kShapeTensorReference>(),
      kept<"one_hot.reference", kOneHotReference>(), kept<"trilu.reference", kTriluReference>(),
      kept<"eye_like.reference", kEyeLikeReference>(), kept<"topk.reference", kTopKReference>());
  return all;
}

}  // namespace anydim
