// SPDX-License-Identifier: Apache-2.0
// The family of f64 tensors in vectors: products, reductions, softmax, layer norm and maxima over windows, in the order of docs/numerics.md, so with the
// bits of their references, which take what is not side by side. Element-wise operators are typed rows (eltwise/typed_rows.h).
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

KernelList doubles_kernels() noexcept;

}  // namespace anydim
