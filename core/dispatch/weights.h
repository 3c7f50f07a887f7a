// SPDX-License-Identifier: Apache-2.0
// Constant weights, packed once for an operator and its attributes by the engine that reads them, in its memory, and shared by
// every primitive, context and tier that uses them. What the packed form looks like is the kernel's business; which kernels may
// read it is told by the pack format's name.
//
// The values may be replaced under running calls: an update packs a new version and swaps one pointer. A call that may
// meet an update holds its version meanwhile (HeldWeights); the update frees the old one when nobody holds it. Models never
// update theirs, and their nodes read the version there is.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/engines/engine.h"

namespace anydim {

class Weights {
 public:
  // `tensors` are the operator's inputs 1, 2, ... (weights, bias or nothing); they may be freed afterwards. The kernel
  // that will run decides the form, so the operator, post-ops and mode are those of the primitives to come.
  static Status create(const EnginePtr& engine, OperatorPtr op, std::span<const TensorView> tensors, const PostOps& post_ops, MathMode mode,
                       std::string_view forced_kernel, const Packing& packing, std::shared_ptr<const Weights>* out,
                       const Quantization* quantization = nullptr);
  static Status create(const EnginePtr& engine, OperatorPtr op, std::span<const TensorView> tensors, const PostOps& post_ops, MathMode mode,
                       std::string_view forced_kernel, std::shared_ptr<const Weights>* out, const Quantization* quantization = nullptr) {
    return create(engine, std::move(op), tensors, post_ops, mode, forced_kernel, {}, out, quantization);
  }
  // The same over values that `kernel` (see choose()) would have packed.
  Weights(EnginePtr engine, OperatorPtr op, std::vector<TensorType> types, const Kernel& kernel, WeightsValues values);
  ~Weights();
  Weights(const Weights&) = delete;
  Weights& operator=(const Weights&) = delete;
  // The kernel that weights of these types are packed for.
  static Status choose(const Engine& engine, const Operator& op, std::span<const TensorType> types, const PostOps& post_ops, MathMode mode,
                       std::string_view forced_kernel, const Kernel** out, const Quantization* quantization = nullptr);

  // Packs new values, of the same dtypes and dims, and makes them those of every execution that begins afterwards;
  // executions that run keep theirs. Any number of threads: one after the other. Waits for calls that still use the old
  // version, at most a second, and frees it; what is held for longer is freed by the next update or with the weights.
  // Meanwhile there are two versions in memory. Nothing changes on failure.
  Status update(std::span<const TensorView> tensors) const;
  int64_t version() const noexcept { return number_.load(std::memory_order_acquire); }  // 1 at first

  const Engine& engine() const noexcept { return *engine_; }
  const Operator& op() const noexcept { return *op_; }
  // Types of inputs 1, 2, ... as they were given.
  std::span<const TensorType> types() const noexcept { return types_; }
  // Name of the packed form; empty if the kernel reads the tensors as they are.
  const char* format() const noexcept { return format_; }
  // For those who know that no update comes: models, tests.
  std::span<const TensorView> views() const noexcept { return now_.load(std::memory_order_acquire)->values.views; }
  const PackedWeights* packed() const noexcept { return now_.load(std::memory_order_acquire)->packed(); }
  int64_t bytes() const noexcept;
  // Operator, packed format and types as bytes: all about them that a primitive depends on, not their values. Begins
  // with append_operator()'s bytes; empty if the operator has symbolic attributes.
  std::string_view form() const noexcept { return form_; }

 private:
  friend class HeldWeights;
  // Place for a version. Never freed before the weights are, so that counting oneself in is always safe; its values go
  // when it is neither the current one nor held, and it is used again.
  struct Version {
    WeightsValues values;
    std::atomic<int32_t> holders{0};
    const PackedWeights* packed() const noexcept { return values.packed.weights.data() ? &values.packed : nullptr; }
  };
  Version* free_place_locked() const;
  void free_old_locked(int64_t patience_ns) const;

  const EnginePtr engine_;
  OperatorPtr op_;
  std::vector<TensorType> types_;
  const Kernel* kernel_;
  const char* format_;
  std::string form_;
  mutable Version first_;
  mutable std::atomic<Version*> now_{&first_};
  mutable std::atomic<int64_t> number_{1};
  mutable std::mutex writers_;
  mutable std::vector<std::unique_ptr<Version>> more_;
};
using WeightsPtr = std::shared_ptr<const Weights>;

// The version that is current at construction, which nobody frees before this ends: two atomic additions, no wait.
class HeldWeights {
 public:
  explicit HeldWeights(const Weights* weights) noexcept {
    if (weights == nullptr) return;
    for (;;) {
      Weights::Version* v = weights->now_.load();
      // Either the update sees that we are in, or we see that this is not the current version any more (both sides write
      // and then read, in one order for all): then it may be freed, and nothing of it was touched.
      v->holders.fetch_add(1);
      if (weights->now_.load() == v) {
        version_ = v;
        return;
      }
      v->holders.fetch_sub(1);
    }
  }
  ~HeldWeights() {
    if (version_ != nullptr) version_->holders.fetch_sub(1, std::memory_order_release);
  }
  HeldWeights(const HeldWeights&) = delete;
  HeldWeights& operator=(const HeldWeights&) = delete;
  const PackedWeights* packed() const noexcept { return version_ != nullptr ? version_->packed() : nullptr; }
  std::span<const TensorView> views() const noexcept {
    return version_ != nullptr ? std::span<const TensorView>(version_->values.views) : std::span<const TensorView>();
  }
  const WeightsValues* values() const noexcept { return version_ != nullptr ? &version_->values : nullptr; }

 private:
  Weights::Version* version_ = nullptr;
};

}  // namespace anydim
