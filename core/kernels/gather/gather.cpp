// SPDX-License-Identifier: Apache-2.0
// The kernel objects of the family: which dtypes each operator's function takes, and the list.
#include "core/kernels/gather/gather.h"

#include "core/kernels/gather/plain.h"
#include "core/ops/scatter_elements.h"
#include "core/ops/scatter_nd.h"
#include "core/ops/topk.h"

namespace anydim {

namespace {

bool is_16_bit_float(DType t) noexcept { return t == DType::f16 || t == DType::bf16; }

Support takes_any(const Problem&) noexcept { return yes(); }
Support takes_reduction(const Problem& p) noexcept {
  const ScatterReduction r = p.op->kind() == OpKind::scatter_nd ? static_cast<const ScatterNd*>(p.op)->reduction()
                                                                : static_cast<const ScatterElements*>(p.op)->reduction();
  const DType t = p.in[0].dtype;
  if (r != ScatterReduction::none && (is_16_bit_float(t) || t == DType::boolean))
    return no("updates of 16-bit floats and booleans cannot be combined");
  return yes();
}
Support takes_plain_output(const Problem& p) noexcept {
  return is_16_bit_float(p.out[0].dtype) ? no("the output is a 16-bit float") : yes();
}
Support takes_plain_input(const Problem& p) noexcept { return is_16_bit_float(p.in[0].dtype) ? no("input 0 is a 16-bit float") : yes(); }
Support takes_ordered_input(const Problem& p) noexcept {
  return p.in[0].dtype == DType::boolean ? no("input 0 is boolean") : takes_plain_input(p);
}

class PlainKernel final : public HostKernel {
 public:
  using Run = Status (*)(const Args&) noexcept;
  using Takes = Support (*)(const Problem&) noexcept;
  constexpr PlainKernel(const char* name, OpKind op, Run run, Takes takes = takes_any)
      : name_(name), key_{op, DType::none, DType::none}, run_(run), takes_(takes) {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem& p) const noexcept override { return p.post_ops->count > 0 ? no("a mover takes no post-ops") : takes_(p); }
  void plan(const Args& args, Plan* plan) const noexcept override {
    plan->scratch = key_.op == OpKind::topk ? topk_scratch(axis_dim(*args.op, args.in[0].dims), args.parallel.threads()) : 0;
  }
  int64_t scratch_bound(const Problem& p, std::span<const Dims> in, std::span<const Dims>, int threads) const noexcept override {
    return key_.op == OpKind::topk ? topk_scratch(axis_dim(*p.op, in[0]), threads) : 0;
  }
  Status run(const Plan&, const Args& args) const noexcept override { return run_(args); }

 private:
  static int64_t axis_dim(const Operator& op, const Dims& in) noexcept { return in[static_cast<const TopK&>(op).get().axis]; }
  const char* name_;
  KernelKey key_;
  Run run_;
  Takes takes_;
};

const PlainKernel kGather("gather.slices.portable", OpKind::gather, run_gather);
const PlainKernel kGatherElements("gather_elements.lines.portable", OpKind::gather_elements, run_gather_elements);
const PlainKernel kGatherNd("gather_nd.slices.portable", OpKind::gather_nd, run_gather_nd);
const PlainKernel kScatterElements("scatter_elements.lines.portable", OpKind::scatter_elements, run_scatter_elements, takes_reduction);
const PlainKernel kScatterNd("scatter_nd.slices.portable", OpKind::scatter_nd, run_scatter_nd, takes_reduction);
const PlainKernel kRange("range.line.portable", OpKind::range, run_range, takes_plain_output);
const PlainKernel kOneHot("one_hot.fill.portable", OpKind::one_hot, run_one_hot, takes_plain_input);
const PlainKernel kTrilu("trilu.lines.portable", OpKind::trilu, run_trilu);
const PlainKernel kEyeLike("eye_like.fill.portable", OpKind::eye_like, run_eye_like);
const PlainKernel kTopK("topk.reference", OpKind::topk, run_topk, takes_ordered_input);

const PlainKernel kGatherReference("gather.reference", OpKind::gather, reference_gather);
const PlainKernel kGatherElementsReference("gather_elements.reference", OpKind::gather_elements, reference_gather_elements);
const PlainKernel kGatherNdReference("gather_nd.reference", OpKind::gather_nd, reference_gather_nd);
const PlainKernel kScatterElementsReference("scatter_elements.reference", OpKind::scatter_elements, reference_scatter_elements,
                                            takes_reduction);
const PlainKernel kScatterNdReference("scatter_nd.reference", OpKind::scatter_nd, reference_scatter_nd, takes_reduction);
const PlainKernel kRangeReference("range.reference", OpKind::range, reference_range, takes_plain_output);
const PlainKernel kShapeTensorReference("shape_tensor.reference", OpKind::shape_tensor, reference_shape_tensor, takes_plain_output);
const PlainKernel kOneHotReference("one_hot.reference", OpKind::one_hot, reference_one_hot, takes_plain_input);
const PlainKernel kTriluReference("trilu.reference", OpKind::trilu, reference_trilu);
const PlainKernel kEyeLikeReference("eye_like.reference", OpKind::eye_like, reference_eye_like);

}  // namespace

KernelList gather_kernels() noexcept {
  static constexpr const HostKernel* kKernels[] = {&kGather,
                                                   &kGatherElements,
                                                   &kGatherNd,
                                                   &kScatterElements,
                                                   &kScatterNd,
                                                   &kRange,
                                                   &kOneHot,
                                                   &kTrilu,
                                                   &kEyeLike,
                                                   &kTopK,
                                                   &kGatherReference,
                                                   &kGatherElementsReference,
                                                   &kGatherNdReference,
                                                   &kScatterElementsReference,
                                                   &kScatterNdReference,
                                                   &kRangeReference,
                                                   &kShapeTensorReference,
                                                   &kOneHotReference,
                                                   &kTriluReference,
                                                   &kEyeLikeReference};
  return kKernels;
}

}  // namespace anydim
