// SPDX-License-Identifier: Apache-2.0
// The family of normalisations over an axis: softmax, log-softmax, layer normalisation. Definitions:
// docs/numerics.md, section 3.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

KernelList norm_kernels() noexcept;

// The scalar kernels on every float dtype, which define the results.
extern const HostKernel* const kSoftmaxReference;
extern const HostKernel* const kLayerNormReference;

}  // namespace anydim
