// SPDX-License-Identifier: Apache-2.0
// Kernels of what learns from tables: ensembles of decision trees, and probabilities of classes from those of pairs.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

KernelList ensemble_kernels() noexcept;

// One file each.
extern const HostKernel* const kPackedTrees;
extern const HostKernel* const kReferenceTrees;
extern const HostKernel* const kCouplePairs;

}  // namespace anydim
