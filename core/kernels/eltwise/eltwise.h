// SPDX-License-Identifier: Apache-2.0
// The family of element-wise kernels: unary, binary, where and cast, with broadcasting settled from actual dims, any
// strides, and post-op chains on f32. The arithmetic is functions.inl.h; the loops are loop_nest.h.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

KernelList eltwise_kernels() noexcept;
// On other dtypes than f32, and what makes another of f32: comparisons, logic, arithmetic of integers, casts, selection. Not
// everything that there is: the scalar kernels below do the rest.
KernelList typed_kernels() noexcept;

// The scalar kernels on every dtype, which define the results: unary, binary, where, cast.
extern const Kernel* const kUnaryReference;
extern const Kernel* const kBinaryReference;
extern const Kernel* const kWhereReference;
extern const Kernel* const kCastReference;

}  // namespace anydim
