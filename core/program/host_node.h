// SPDX-License-Identifier: Apache-2.0
// A node whose operator is the host program's: its rule of shapes and its kernel, behind an interface. What a host program is, and
// how its callbacks are called, is the business of whoever implements it (capi/custom_operators.cpp).
#pragma once

#include <span>

#include "core/base/status.h"
#include "core/tensor/dims.h"

namespace anydim {

// A dim that is not known yet: kUnknownDim of an output is for a run to find; a number below it stands for a dim of an input, and the
// same number for the same dim.
constexpr int64_t kUnknownDim = -1;

class HostNode {
 public:
  virtual ~HostNode() = default;
  // The rule of shapes: dtype and dims of all outputs. Inputs are dense and row-major; an absent one has DType::none. Their data is null
  // where it is not known: before a run, and at its bounds. In a run all dims are numbers.
  virtual Status infer(std::span<const TensorView> in, std::span<TensorView> out) const = 0;
  // Computes all outputs, which are dense and row-major, too.
  virtual Status run(std::span<const TensorView> in, std::span<const TensorView> out) const = 0;
};

}  // namespace anydim
