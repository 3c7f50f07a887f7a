// SPDX-License-Identifier: Apache-2.0
// Constant operands of an operator, any of them, packed once by the engine that reads them, in its memory, and shared by every
// primitive, context and tier that uses them. What the packed form looks like is the kernel's business (PackedForm); which kernels
// may read it is said by the form's name. Operands that the kernel packs nothing of are kept as they are.
//
// The values may be replaced under running calls: an update packs a new version and swaps one pointer. A call that may
// meet an update holds its version meanwhile (PinnedWeights); the update frees the old one when nobody holds it. Models never
// update theirs, and their nodes read the version there is.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/threads/fork_lock.h"
#include "core/engines/engine.h"

namespace anydim {

// What is known of the primitives that weights are made for.
struct WeightsUse {
  const DimPool* pool = nullptr;  // of `in`; may be null if every dim is a number
  // Types of the operands that come with each call, in the operator's order. None, if that is the first alone: then it is taken to
  // have the dtype of the first constant. Where there are fewer than operands before the last constant, the last of these that may be
  // left out are.
  std::span<const TensorType> in;
  PostOps post_ops;
  MathMode mode = MathMode::inherit;
  std::string_view kernel;                     // forced by name, or empty
  const Quantization* quantization = nullptr;  // or null
};

// The problem of primitives to come, as far as it is known when weights are made: kept, so that later versions are packed for it.
class WeightsProblem {
 public:
  WeightsProblem() = default;
  // A problem as it will be posed.
  WeightsProblem(OperatorPtr op, const Problem& problem);
  // Of constants by operand; those without a dtype are not constant. Fails with what the shape rule finds wrong, if all is known.
  static Status make(const Engine& engine, OperatorPtr op, std::span<const TensorType> constants, const WeightsUse& use,
                     WeightsProblem* out);

  const OperatorPtr& op() const noexcept { return op_; }
  Problem problem() const noexcept { return {op_.get(), in_, out_, &post_ops_, post_in_, mode_, constant_, quantization_.get()}; }
  OperandSet constant() const noexcept { return constant_; }
  // What no call brings: the constants, and optional operands before them that are neither constant nor described.
  OperandSet fixed_operands() const noexcept { return fixed_operands_; }

 private:
  OperatorPtr op_;
  std::vector<TensorType> in_, out_, post_in_;
  PostOps post_ops_;
  MathMode mode_ = MathMode::strict;  // what it came down to
  OperandSet constant_, fixed_operands_;
  std::shared_ptr<const Quantization> quantization_;  // or null
};

// Types of tensors by operand.
std::vector<TensorType> types_of(std::span<const TensorView> tensors);

// The form with all that its bytes depend on beside the operator, dims and dtypes: as texts, files and keys have it. Empty if
// constants are read as they are.
std::string form_name(const PackedForm& form, const Problem& problem);

class Weights {
 public:
  // Packed for this kernel, which was chosen for the problem. `tensors` are the problem's inputs by operand; those that are not
  // constant do not count. They may be freed afterwards.
  static Status create(const EnginePtr& engine, const WeightsProblem& problem, const Kernel& kernel, std::span<const TensorView> tensors,
                       const Packing& packing, std::shared_ptr<const Weights>* out);
  // The problem and its kernel found, too. `tensors` by operand, those without a dtype are not constant.
  static Status create(const EnginePtr& engine, const OperatorPtr& op, std::span<const TensorView> tensors, const WeightsUse& use,
                       std::shared_ptr<const Weights>* out);
  // Over values that the kernel would have packed.
  Weights(EnginePtr engine, WeightsProblem problem, const Kernel& kernel, WeightsValues values);
  ~Weights();
  Weights(const Weights&) = delete;
  Weights& operator=(const Weights&) = delete;

  // Packs new values, of the same dtypes and dims, and makes them those of every execution that begins afterwards;
  // executions that run keep theirs. Any number of threads: one after the other. Waits for calls that still use the old
  // version, at most a second, and frees it; what is held for longer is freed by the next update or with the weights.
  // Meanwhile there are two versions in memory. Nothing changes on failure. The tensors are those of the constants, in their order.
  Status update(std::span<const TensorView> tensors) const;
  int64_t version() const noexcept { return number_.load(std::memory_order_acquire); }  // 1 at first

  const Engine& engine() const noexcept { return *engine_; }
  const Operator& op() const noexcept { return *problem_.op(); }
  // The operands that it holds, in pieces or as they are.
  OperandSet operands() const noexcept { return problem_.constant(); }
  bool holds(size_t operand) const noexcept { return operands().has(operand); }
  // And those before them that are left out.
  OperandSet fixed_operands() const noexcept { return problem_.fixed_operands(); }
  // By operand, of those that it holds.
  TensorType type(size_t operand) const noexcept { return problem_.problem().in[operand]; }
  // By operand, up to the last that it holds; without a dtype where it holds none.
  std::vector<TensorType> types() const;
  // Name of the packed form; empty if the kernel reads the tensors as they are.
  const std::string& format() const noexcept { return format_; }
  // Would the kernel read these for the problem?
  bool fits(const Kernel& kernel, const Problem& problem) const;
  // For those who know that no update comes: models, tests.
  std::span<const TensorView> views() const noexcept { return now_.load(std::memory_order_acquire)->values.views; }
  const PackedWeights* packed() const noexcept { return now_.load(std::memory_order_acquire)->packed(); }
  int64_t bytes() const noexcept;
  // Operator, packed form and types as bytes: all about them that a primitive depends on, not their values. Begins
  // with append_operator()'s bytes; empty if the operator has symbolic attributes.
  std::string_view form() const noexcept { return form_; }

 private:
  friend class PinnedWeights;
  // BufferRef for a version. Never freed before the weights are, so that counting oneself in is always safe; its values go
  // when it is neither the current one nor held, and it is used again.
  struct Version {
    WeightsValues values;
    std::atomic<int32_t> holders{0};
    const PackedWeights* packed() const noexcept { return values.packed.form.format != nullptr ? &values.packed : nullptr; }
  };
  Version* free_place_locked() const;
  void free_old_locked(int64_t wait_ns) const;

  const EnginePtr engine_;
  const WeightsProblem problem_;
  const Kernel* kernel_;
  std::string format_, form_;
  mutable Version first_;
  mutable std::atomic<Version*> now_{&first_};
  mutable std::atomic<int64_t> number_{1};
  mutable LongForkLock writers_;
  mutable std::vector<std::unique_ptr<Version>> more_;
};
using WeightsPtr = std::shared_ptr<const Weights>;

// The version that is current at construction, which nobody frees before this ends: two atomic additions, no wait.
class PinnedWeights {
 public:
  explicit PinnedWeights(const Weights* weights) noexcept {
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
  ~PinnedWeights() {
    if (version_ != nullptr) version_->holders.fetch_sub(1, std::memory_order_release);
  }
  PinnedWeights(const PinnedWeights&) = delete;
  PinnedWeights& operator=(const PinnedWeights&) = delete;
  const PackedWeights* packed() const noexcept { return version_ != nullptr ? version_->packed() : nullptr; }
  std::span<const TensorView> views() const noexcept {
    return version_ != nullptr ? std::span<const TensorView>(version_->values.views) : std::span<const TensorView>();
  }
  const WeightsValues* values() const noexcept { return version_ != nullptr ? &version_->values : nullptr; }

 private:
  Weights::Version* version_ = nullptr;
};

}  // namespace anydim
