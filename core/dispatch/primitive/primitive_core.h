// SPDX-License-Identifier: Apache-2.0
// The two shared parts of a primitive (primitive.h): what is true whatever the dims are, and the descriptors.
//
//   PrimitiveCore         engine, operator, attributes, kernel, what the engine prepared of it, and the table of specialised plans behind one atomic pointer.
//                         Nothing in it depends on dims of activations or on the values of weights, so one core may
//                         serve primitives of many shapes (the primitive cache makes it so under shape churn) and of
//                         many layers.
//   PrimitiveDescriptors  dtypes and dims of inputs and outputs, with the promises that execution checks.
//
// A Primitive joins one of each with weights, which belong to the primitive alone: whoever keeps a core or descriptors
// keeps no weights alive.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/dispatch/primitive/call_executables.h"
#include "core/dispatch/primitive/reuse_policy.h"
#include "core/dispatch/tuning/tiers.h"
#include "core/engines/engine.h"
#include "core/ops/quantization.h"

namespace anydim {

// Everything about a primitive that is not its operator or its tensors.
struct PrimitiveAttributes {
  PostOps post_ops;
  MathMode mode = MathMode::inherit;  // of a primitive that exists: what it came down to
  ReusePolicy reuse = ReusePolicy::inherit;
  std::string kernel;                                // forced by name, or empty
  std::shared_ptr<const Quantization> quantization;  // or null
  // Kernels that could need more scratch than this, at the descriptors' largest dims and with this many threads, are refused;
  // -1: no limit.
  int64_t scratch_limit = -1;
  int scratch_threads = 1;

  // Tensors that come behind the operator's: of post-ops, then scales and zero points.
  int operands() const noexcept { return post_ops.operands() + (quantization ? quantization->tensor_count() : 0); }
};

class PrimitiveCore {
 public:
  PrimitiveCore(const EnginePtr& engine, OperatorPtr op, PrimitiveAttributes attributes, const Kernel& kernel,
                ExecutablePtr executable) noexcept
      : engine_(engine->device()),
        op_(std::move(op)),
        attributes_(std::move(attributes)),
        kernel_(&kernel),
        executable_(std::move(executable)),
        host_kernel_(engine_->is_host() ? static_cast<const HostKernel*>(&kernel) : nullptr),
        policy_(resolve_policy(attributes_.reuse)) {}
  // Of the same device as the one that it was made for: cores are kept for all of them, and nothing of a host program's with them.
  const EnginePtr& engine() const noexcept { return engine_; }
  const OperatorPtr& op() const noexcept { return op_; }
  const PrimitiveAttributes& attributes() const noexcept { return attributes_; }
  const Kernel& kernel() const noexcept { return *kernel_; }
  // What its launches carry; null on a host engine.
  const ExecutablePtr& executable() const noexcept { return executable_; }
  // The kernel where the engine is a host engine, else null.
  const HostKernel* host_kernel() const noexcept { return host_kernel_; }
  // The policy of calls outside of a context, and where it was set.
  ResolvedPolicy policy() const noexcept { return policy_; }
  // Changes under running calls: a plan is made with the old or the new table.
  Tiers& tiers() const noexcept { return tiers_; }
  // Of a device: for calls that the table above has choices for.
  CallExecutables& call_executables() const noexcept { return call_executables_; }
  // True once for each change of dims: a primitive with the policy reusable_first asks the worker then.
  bool new_dims(uint64_t key) const noexcept {
    return requested_.load(std::memory_order_relaxed) != key && requested_.exchange(key, std::memory_order_relaxed) != key;
  }
  Tier tier() const noexcept { return tiers_.empty() || policy_.policy == ReusePolicy::reusable ? Tier::reusable : Tier::specialised; }

 private:
  const EnginePtr engine_;
  OperatorPtr op_;
  PrimitiveAttributes attributes_;
  const Kernel* kernel_;  // of the engine's list
  const ExecutablePtr executable_;
  const HostKernel* host_kernel_;
  const ResolvedPolicy policy_;
  mutable Tiers tiers_;
  mutable CallExecutables call_executables_;
  mutable std::atomic<uint64_t> requested_{0};
};
using PrimitiveCorePtr = std::shared_ptr<const PrimitiveCore>;

// Dims are numbers or symbols of `pool`. The types of weights, where they are given, are among those of the inputs.
struct PrimitiveDescriptors {
  DimPool pool;
  std::vector<TensorType> in, out, post_in;
  OperandSet constant;  // inputs whose values are there before any call, in weights or not
};
using PrimitiveDescriptorsPtr = std::shared_ptr<const PrimitiveDescriptors>;

}  // namespace anydim
