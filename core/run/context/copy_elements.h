// SPDX-License-Identifier: Apache-2.0
// Copies elements from a tensor to another, on the calling thread.
#pragma once

#include "core/tensor/views.h"

namespace anydim {

// Both have the same dims and dtype, and any strides.
void copy_elements(const TensorView& from, const TensorView& to) noexcept;

}  // namespace anydim
