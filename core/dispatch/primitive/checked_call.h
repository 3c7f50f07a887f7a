// SPDX-License-Identifier: Apache-2.0
// What the checks of an execution found out (Primitive::check), in place: no allocation on the good path.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

// Inputs a primitive may have in execute(); concat is the operator that takes many.
constexpr size_t kMaxInputs = 64;
constexpr size_t kMaxOutputs = 8;
constexpr int kMaxSlots = 512;

struct CheckedCall {
  TensorView in[kMaxInputs];
  size_t in_count = 0;
  Dims out[kMaxOutputs];
  size_t out_count = 0;
  int64_t attributes[kMaxSlots];
  size_t attribute_count = 0;

  Args args(std::span<const TensorView> results, std::span<const TensorView> post_in, const Parallel& parallel) const {
    Args args;
    args.in = {in, in_count};
    args.out = results;
    args.post_in = post_in;
    args.dim_attributes = {attributes, attribute_count};
    args.parallel = parallel;
    return args;
  }
};

}  // namespace anydim
