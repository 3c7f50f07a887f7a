// SPDX-License-Identifier: Apache-2.0
// The axes that an operator computes along and whose sizes it keeps: dims do not show that their elements depend on one another.
#pragma once

#include "core/ops/op.h"

namespace anydim {

// Of the first operand; without `last`.
struct ComputedAxes {
  int first = 0, last = 0;
};
ComputedAxes computed_axes(const Operator& op, int rank) noexcept;

}  // namespace anydim
