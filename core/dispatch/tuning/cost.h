// SPDX-License-Identifier: Apache-2.0
// Choices as a list: every kernel for a problem with an expected time, or with a measured one where that is asked for.
// An expected time orders choices and sets their scale; it is no promise. It is the larger of computing (steps of the operator /
// rate of the kernel) and of moving bytes, plus the cost of a call; the rates are the engine's.
#pragma once

#include <string>
#include <vector>

#include "core/dispatch/primitive/primitive.h"

namespace anydim {

struct Choice {
  const Kernel* kernel = nullptr;
  bool chosen = false;                                          // by the primitive
  std::string refusal;                                          // why it cannot do this problem; empty: it can
  double expected_nanoseconds = -1, measured_nanoseconds = -1;  // -1: not known
  int64_t scratch_bytes = -1;                                   // for these tensors
  std::string not_measured;                                     // why there is no time, where one was asked for
};

double expected_nanoseconds(const Engine& engine, const Kernel& kernel, const Operator& op, const Args& args) noexcept;
// The same of one host kernel, asked again and again, on one thread.
class CostOfCalls {
 public:
  CostOfCalls(const Engine& engine, const Kernel& kernel, const Operator& op) noexcept
      : op_(&op), rates_{engine.rates(kernel, false), engine.rates(kernel, true)} {}
  double nanoseconds(const Args& args) const noexcept;

 private:
  const Operator* op_;
  Rates rates_[2];  // of an operator that multiplies matrices: the second
};

// Args as a checked call has them (weights' views included, no scratch). Choices come in the registry's order of preference.
// repeats > 0: runs each kernel that can, that often, one after the other, and takes the median: blocking, for as long as that takes;
// outputs are written. A kernel that reads weights packed otherwise than the primitive's is not measured.
Status list_choices(const Primitive& primitive, const Args& args, int repeats, std::vector<Choice>* out);

}  // namespace anydim
