// SPDX-License-Identifier: Apache-2.0
// Numbers to weigh choices with while dims are symbolic: bounds where there are any, guesses where not. They order
// choices of layout and memory; no result and no bound depends on them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/tensor/dim.h"

namespace anydim {

// Values of a pool's expressions with each symbol at its promised maximum, or at a guess where it has none.
std::vector<int64_t> reference_values(const DimPool& pool);

}  // namespace anydim
