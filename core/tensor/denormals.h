// SPDX-License-Identifier: Apache-2.0
// How many numbers of a tensor lie below the smallest normal one. Arithmetic keeps them (docs/numerics.md), and processors take
// up to a hundred times as long for an operation that reads or makes one: who looks for lost time wants to know where they are.
#pragma once

#include "core/tensor/dims.h"

namespace anydim {

// Of binary32 and binary64 elements; 0 for other dtypes, whose arithmetic makes none.
int64_t count_denormals(const TensorView& t) noexcept;

}  // namespace anydim
