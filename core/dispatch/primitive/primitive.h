// SPDX-License-Identifier: Apache-2.0
// A primitive: an operator made for given descriptors and attributes, bound to one kernel, ready to execute at any
// dims its descriptors allow. Immutable and shareable between threads. Graph nodes are primitives too: a run binds
// once and then calls plan() and run(), which is what execute() reaches after its checks.
//
// A primitive is three pointers: a core (operator, attributes, kernel, tiers), descriptors, and weights. The first two
// are shared with other primitives where the primitive cache says so (primitive_cache.h); see primitive_core.h.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/base/threads/threads.h"
#include "core/dispatch/primitive/primitive_core.h"
#include "core/dispatch/primitive/registry.h"
#include "core/dispatch/weights/weights.h"

namespace anydim {

// A descriptor: dtype, dims (numbers, or symbols of `pool` with promises) for each input.
struct PrimitiveInputs {
  const DimPool* pool = nullptr;        // may be null if every dim is a number
  std::span<const TensorType> in;       // those that come with each call, in the operator's order: all that weights do not hold
  std::span<const TensorType> post_in;  // one per post-op that takes a tensor; dims may be left empty (any that
                                        // broadcast into the output)
  OperandSet constant = {};             // operands that have the same values in each call, though they come with it
};

// A tensor on any engine: a view, whose data does not count, and where its first element lies. Absent: dtype none.
struct PlacedTensor {
  TensorView view;
  BufferRef place;
};

class Primitive : public std::enable_shared_from_this<Primitive> {
 public:
  // Fails with unimplemented (and each kernel's refusal), or with what the shape rule found wrong.
  // Weights are of the same engine. `choice`: the kernel, where somebody has chosen it for these tensors.
  static Status create(const EnginePtr& engine, OperatorPtr op, const PrimitiveInputs& inputs, const PrimitiveAttributes& attributes,
                       WeightsPtr weights, std::shared_ptr<const Primitive>* out, KernelChoice choice = {});
  // The same over a core that exists, with the same checks and messages. `*out` stays null if these descriptors would
  // choose another kernel than the core's: then the core does not fit and create() is to be called.
  static Status create_over(PrimitiveCorePtr core, const PrimitiveInputs& inputs, WeightsPtr weights,
                            std::shared_ptr<const Primitive>* out);
  // From parts that were checked together. The weights are of the operator, types and format that the core and the
  // descriptors were made with, or null if those were.
  Primitive(PrimitiveCorePtr core, PrimitiveDescriptorsPtr descriptors, WeightsPtr weights) noexcept
      : core_(std::move(core)), descriptors_(std::move(descriptors)), weights_(std::move(weights)) {}

  const Engine& engine() const noexcept { return *core_->engine(); }
  const Operator& op() const noexcept { return *core_->op(); }
  const Kernel& kernel() const noexcept { return core_->kernel(); }
  Tier tier() const noexcept { return core_->tier(); }
  const PrimitiveAttributes& attributes() const noexcept { return core_->attributes(); }
  const WeightsPtr& weights() const noexcept { return weights_; }
  // Operands that weights hold, and those that they were made without; the others come with each call.
  OperandSet constant_operands() const noexcept { return weights_ ? weights_->fixed_operands() : OperandSet(); }
  size_t run_time_count() const noexcept { return in().size() - constant_operands().count(); }
  const PrimitiveCorePtr& core() const noexcept { return core_; }
  const PrimitiveDescriptorsPtr& descriptors() const noexcept { return descriptors_; }
  // Input and output types as created, symbolic dims in the pool() of this primitive.
  std::span<const TensorType> in() const noexcept { return descriptors_->in; }
  std::span<const TensorType> out() const noexcept { return descriptors_->out; }
  const DimPool& pool() const noexcept { return descriptors_->pool; }
  Problem problem() const noexcept;
  // Every kernel with why it was not chosen, the attributes' limit on scratch included.
  std::vector<Candidate> candidates() const;

  Perm preferred_order(bool output, int index) const noexcept { return kernel().preferred_order(problem(), output, index); }
  // A bound on scratch for all dims up to these.
  int64_t scratch_bound(std::span<const Dims> in, std::span<const Dims> out, int threads) const noexcept {
    return kernel().scratch_bound(problem(), in, out, threads);
  }

  // Unchecked and allocation-free: what a graph calls. `args` has in/out/post_in/dim_attributes/parallel set;
  // fill_in() sets the rest. Who may meet an update of the weights gives the version it holds.
  void fill_in(Args* args) const noexcept { fill_in(args, weights_ ? weights_->packed() : nullptr); }
  void fill_in(Args* args, const PackedWeights* packed) const noexcept {
    args->op = core_->op().get();
    args->post_ops = &core_->attributes().post_ops;
    args->quantization = core_->attributes().quantization.get();
    args->weights = packed;
  }
  // The plan of the specialised tier where there is one for these dims, unless only the reusable one is wanted.
  void plan(const Args& args, Plan* plan, bool reusable_only) const noexcept {
    plan->specialised = false;
    if (const Tiers& tiers = core_->tiers(); !reusable_only && !tiers.empty()) return plan_from(tiers, args, plan);
    kernel().plan(args, plan);
  }
  void plan(const Args& args, Plan* plan) const noexcept { this->plan(args, plan, core_->policy().policy == ReusePolicy::reusable); }
  // Of a host engine's primitive.
  Status run(const Plan& plan, const Args& args) const noexcept { return core_->host_kernel()->run(plan, args); }

  // The same on another engine's stream, which may run it later and keeps what it needs until then. Tensors of `args` have no data;
  // places are one per tensor, those of operands that weights hold are found here.
  Status launch(Stream& stream, const Plan& plan, const Args& args, std::span<BufferRef> in, std::span<const BufferRef> out,
                std::span<const BufferRef> post_in, BufferRef scratch) const;

  // Output dims for actual input dims; checks the inputs against the descriptors.
  Status output_dims(std::span<const TensorView> in, std::span<Dims> out) const;
  // Scratch for actual tensors (dims and strides count, data does not).
  Status scratch_bytes(std::span<const TensorView> in, std::span<const TensorView> out, std::span<const TensorView> post_in, int threads,
                       int64_t* bytes) const;
  // Checked execution on a host engine. Inputs that weights hold are left out. Scratch is the caller's (at least
  // scratch_bytes, aligned to 64). Outputs are untouched if it fails, but for invalid_data.
  Status execute(std::span<const TensorView> in, std::span<const TensorView> post_in, std::span<const TensorView> out, void* scratch,
                 int64_t scratch_size, const Parallel& parallel) const;
  // The same on a stream of any engine, which may execute it later: late errors are the stream's. All memory is of the primitive's
  // engine; it and the primitive may be destroyed once this returns.
  Status submit(Stream& stream, std::span<const PlacedTensor> in, std::span<const PlacedTensor> post_in, std::span<const PlacedTensor> out,
                BufferRef scratch, int64_t scratch_size) const;

 private:
  Status check(std::span<const TensorView> in, std::span<const TensorView> post_in, std::span<const TensorView> out, bool with_data,
               const PinnedWeights& weights, struct CheckedCall* call) const;
  void request_tuning(const Args& args) const noexcept;
  void plan_from(const Tiers& tiers, const Args& args, Plan* plan) const noexcept;
  PrimitiveCorePtr core_;
  PrimitiveDescriptorsPtr descriptors_;
  WeightsPtr weights_;
};
using PrimitivePtr = std::shared_ptr<const Primitive>;

// A tensor that owns dense row-major memory.
struct HostTensor {
  TensorView view;
  std::shared_ptr<AlignedBuffer> memory;
  static Status allocate(DType dtype, const Dims& dims, HostTensor* out);
};

// Runs an operator once on actual tensors, on the CPU engine (constant folding, tests): makes a primitive, memory and outputs.
// dim_attributes of the operator must be numbers.
Status execute_once(const OperatorPtr& op, std::span<const TensorView> in, const PostOps& post_ops, std::span<const TensorView> post_in,
                    std::vector<HostTensor>* out, std::shared_ptr<const Quantization> quantization = nullptr);

}  // namespace anydim
