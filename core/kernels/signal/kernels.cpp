// SPDX-License-Identifier: Apache-2.0
// The list of the family's kernels.
#include "core/kernels/signal/signal.h"

namespace anydim {

KernelList signal_kernels() noexcept {
  static const HostKernel* const list[] = {
#if defined(__x86_64__)
    kDftOf8,
    kDftOf4,
#endif
    kDft,
    kDet,
    kRandomUniform
  };
  return list;
}

}  // namespace anydim
