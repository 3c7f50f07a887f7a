// SPDX-License-Identifier: Apache-2.0
// Constant weights, packed once for an operator and its attributes and shared by every primitive, context and tier
// that uses them. What the packed form looks like is the kernel's business; which kernels may read it is told by the
// pack format's name.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernels/kernel.h"

namespace anydim {

class Weights {
 public:
  // `tensors` are the operator's inputs 1, 2, ... (weights, bias or nothing); they may be freed afterwards. The kernel
  // that will run decides the form, so the operator, post-ops and mode are those of the primitives to come.
  static Status create(OperatorPtr op, std::span<const TensorView> tensors, const PostOps& post_ops, MathMode mode,
                       std::string_view forced_kernel, std::shared_ptr<const Weights>* out);

  const Operator& op() const noexcept { return *op_; }
  // Types of inputs 1, 2, ... as they were given.
  std::span<const TensorType> types() const noexcept { return types_; }
  // Views of the inputs 1, 2, ...: dims always, data only where the kernel reads them unpacked.
  std::span<const TensorView> views() const noexcept { return views_; }
  const PackedWeights* packed() const noexcept { return packed_.weights.data() ? &packed_ : nullptr; }
  const char* format() const noexcept { return packed_.format; }
  int64_t bytes() const noexcept;
  // Operator, packed format and types as bytes: all about them that a primitive depends on, not their values. Begins
  // with append_operator()'s bytes; empty if the operator has symbolic attributes.
  std::string_view form() const noexcept { return form_; }

 private:
  OperatorPtr op_;
  std::vector<TensorType> types_;
  std::vector<TensorView> views_;
  std::vector<AlignedBuffer> copies_;  // of tensors that are read as they are
  PackedWeights packed_;
  std::string form_;
};
using WeightsPtr = std::shared_ptr<const Weights>;

}  // namespace anydim
