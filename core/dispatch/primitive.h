// SPDX-License-Identifier: Apache-2.0
// A primitive: an operator made for given descriptors and attributes, bound to one kernel, ready to execute at any
// dims its descriptors allow. Immutable and shareable between threads. Graph nodes are primitives too: a run binds
// once and then calls plan() and run(), which is what execute() reaches after its checks.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/threads.h"
#include "core/dispatch/registry.h"
#include "core/dispatch/reuse_policy.h"
#include "core/dispatch/weights.h"
#include "core/kernels/kernel.h"

namespace anydim {

// Everything about a primitive that is not its operator or its tensors.
struct PrimitiveAttributes {
  PostOps post_ops;
  MathMode mode = MathMode::strict;
  ReusePolicy reuse = ReusePolicy::automatic;
  std::string kernel;  // forced by name, or empty
};

// A descriptor: dtype, dims (numbers, or symbols of `pool` with promises) for each input.
struct PrimitiveInputs {
  const DimPool* pool = nullptr;           // may be null if every dim is a number
  std::span<const TensorType> in;          // inputs covered by `weights` may be left out at the end
  std::span<const TensorType> post_in;     // one per post-op that takes a tensor; dims may be left empty (any that
                                           // broadcast into the output)
};

class Primitive {
 public:
  // Fails with unimplemented (and each kernel's refusal), or with what the shape rule found wrong.
  static Status create(OperatorPtr op, const PrimitiveInputs& inputs, const PrimitiveAttributes& attributes,
                       WeightsPtr weights, std::shared_ptr<const Primitive>* out);

  const Operator& op() const noexcept { return *op_; }
  const Kernel& kernel() const noexcept { return *kernel_; }
  Tier tier() const noexcept { return Tier::reusable; }
  const PrimitiveAttributes& attributes() const noexcept { return attributes_; }
  const WeightsPtr& weights() const noexcept { return weights_; }
  // Input and output types as created, symbolic dims in the pool() of this primitive.
  std::span<const TensorType> in() const noexcept { return in_; }
  std::span<const TensorType> out() const noexcept { return out_; }
  const DimPool& pool() const noexcept { return pool_; }
  Problem problem() const noexcept;

  Perm preferred_order(bool output, int index) const noexcept {
    return kernel_->preferred_order(problem(), output, index);
  }
  // A bound on scratch for all dims up to these.
  int64_t scratch_bound(std::span<const Dims> in, std::span<const Dims> out, int threads) const noexcept {
    return kernel_->scratch_bound(problem(), in, out, threads);
  }

  // Unchecked and allocation-free: what a graph calls. `args` has in/out/post_in/dim_attributes/parallel set;
  // fill_in() sets the rest.
  void fill_in(Args* args) const noexcept {
    args->op = op_.get();
    args->post_ops = &attributes_.post_ops;
    args->weights = weights_ ? weights_->packed() : nullptr;
  }
  void plan(const Args& args, Plan* plan) const noexcept { kernel_->plan(args, plan); }
  Status run(const Plan& plan, const Args& args) const noexcept { return kernel_->run(plan, args); }

  // Output dims for actual input dims; checks the inputs against the descriptors.
  Status output_dims(std::span<const TensorView> in, std::span<Dims> out) const;
  // Scratch for actual tensors (dims and strides count, data does not).
  Status scratch_bytes(std::span<const TensorView> in, std::span<const TensorView> out,
                       std::span<const TensorView> post_in, int threads, int64_t* bytes) const;
  // Checked execution. Inputs that are covered by weights are left out. Scratch is the caller's (at least
  // scratch_bytes, aligned to 64). Outputs are untouched if it fails, but for invalid_data.
  Status execute(std::span<const TensorView> in, std::span<const TensorView> post_in, std::span<const TensorView> out,
                 void* scratch, int64_t scratch_size, const Parallel& parallel) const;

 private:
  Status check(std::span<const TensorView> in, std::span<const TensorView> post_in, std::span<const TensorView> out,
               bool with_data, struct CheckedCall* call) const;
  OperatorPtr op_;
  const Kernel* kernel_ = nullptr;
  PrimitiveAttributes attributes_;
  WeightsPtr weights_;
  DimPool pool_;
  std::vector<TensorType> in_, out_, post_in_;
};
using PrimitivePtr = std::shared_ptr<const Primitive>;

// A tensor that owns dense row-major memory.
struct HostTensor {
  TensorView view;
  std::shared_ptr<AlignedBuffer> memory;
  static Status allocate(DType dtype, const Dims& dims, HostTensor* out);
};

// Runs an operator once on actual tensors (constant folding, tests): makes a primitive, memory and outputs.
// dim_attributes of the operator must be numbers.
Status execute_once(const OperatorPtr& op, std::span<const TensorView> in, const PostOps& post_ops,
                    std::span<const TensorView> post_in, std::vector<HostTensor>* out);

}  // namespace anydim
