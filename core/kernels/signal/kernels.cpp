// SPDX-License-Identifier: Apache-2.0
// The list of the family's kernels.
#include "core/kernels/signal/signal.h"

namespace anydim {

KernelList signal_kernels() noexcept {
  static const HostKernel* const list[] = {kDft, kDet, kRandomUniform};
  return list;
}

}  // namespace anydim
