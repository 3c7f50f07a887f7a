// SPDX-License-Identifier: Apache-2.0
// The family of element-wise kernels: unary, binary, where and cast, with broadcasting settled from actual dims, any
// strides, and post-op chains on f32. The arithmetic is functions.inl.h; the loops are loop_nest.h.
#pragma once

#include "core/kernels/eltwise/typed_rows.h"
#include "core/kernels/kernel.h"

namespace anydim {

KernelList eltwise_kernels() noexcept;
// On other dtypes than f32, and what makes another of f32: comparisons, logic, arithmetic of integers, casts, selection. Not
// everything that there is: the scalar kernels below do the rest.
KernelList typed_kernels() noexcept;
// Unary and binary operators of 16-bit floats, with their post-op chains: the f32 machine on pieces that are widened in cache.
KernelList half_eltwise_kernels() noexcept;

// out = row(in...), element by element, over any strides; operands broadcast into `out`.
void run_typed_rows(TypedRowFunction row, const TensorView& out, std::span<const TensorView> in, const Parallel& parallel) noexcept;

// The scalar kernels on every dtype, which define the results: unary, binary, where, cast.
extern const HostKernel* const kUnaryReference;
extern const HostKernel* const kBinaryReference;
extern const HostKernel* const kWhereReference;
extern const HostKernel* const kCastReference;
extern const HostKernel* const kBitCastReference;

}  // namespace anydim
