// SPDX-License-Identifier: Apache-2.0
// The kinds of reduction, apart from the operator: files of one instruction set include this and nothing heavier.
#pragma once

#include <cstdint>

namespace anydim {

enum class ReduceKind : uint8_t { sum, mean, sum_square, l1, l2, prod, log_sum, log_sum_exp, max, min };
const char* reduce_name(ReduceKind kind) noexcept;

}  // namespace anydim
