// SPDX-License-Identifier: Apache-2.0
// The family's list.
#include "core/kernels/strings/strings.h"

namespace anydim {

KernelList strings_kernels() noexcept {
  static const HostKernel* const kKernels[] = {kHashedStringLookup, kStringLookup, kStringEqual,       kStringConcat,
                                               kStringCase,         kStringMatch,  kCountStringPieces, kStringSplit,
                                               kHashedNgramCounts,  kNgramCounts,  kStringParse,       kStringFormat};
  return kKernels;
}

}  // namespace anydim
