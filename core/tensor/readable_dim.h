// SPDX-License-Identifier: Apache-2.0
// Dims in messages: expressions that people read as they are, others by the sizes that they follow from.
#pragma once

#include <string>

#include "core/tensor/dim.h"

namespace anydim {

std::string readable(const DimPool& pool, Dim d);

}  // namespace anydim
