// SPDX-License-Identifier: Apache-2.0
// The list of the family's kernels.
#include <iterator>

#include "core/kernels/detect/detect.h"

namespace anydim {

KernelList detect_kernels() noexcept {
  static const HostKernel* list[1 + 4 + 4 + 8] = {kNonMaxSuppression};
  static const size_t count = [] {
    size_t n = 1;
    for (const HostKernel* k : deform_forms()) list[n++] = k;
    for (const HostKernel* k : fold_forms()) list[n++] = k;
    for (const HostKernel* k : roi_align_kernels()) list[n++] = k;
    return n;
  }();
  return {list, count};
}

}  // namespace anydim
