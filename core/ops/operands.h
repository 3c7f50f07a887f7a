// SPDX-License-Identifier: Apache-2.0
// What is described of an operator's operands.
#pragma once

#include <cstddef>

#include "core/ops/generated/enums.h"

namespace anydim {

// May the operand be left out? False past the last one.
bool is_optional(OpKind kind, size_t operand) noexcept;

}  // namespace anydim
