// SPDX-License-Identifier: Apache-2.0
// The family of reductions: reduce, arg_reduce and cumsum, over any axes and strides. The order of summation is the
// contract of docs/numerics.md, section 2; lanes.inl.h implements it on vectors, reference.cpp on scalars.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

KernelList reduce_kernels() noexcept;  // of sums and running sums
KernelList arg_reduce_kernels() noexcept;

// The scalar kernels on every dtype, which define the results.
extern const HostKernel* const kReduceReference;
extern const HostKernel* const kArgReduceReference;
extern const HostKernel* const kCumSumReference;

}  // namespace anydim
