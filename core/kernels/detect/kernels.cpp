// SPDX-License-Identifier: Apache-2.0
// The list of the family's kernels.
#include <iterator>

#include "core/kernels/detect/detect.h"

namespace anydim {

KernelList detect_kernels() noexcept {
  static const HostKernel* list[3 + 8] = {kNonMaxSuppression, kDeformColumns, kFold};
  static const size_t count = [] {
    size_t n = 3;
    for (const HostKernel* k : roi_align_kernels()) list[n++] = k;
    return n;
  }();
  return {list, count};
}

}  // namespace anydim
