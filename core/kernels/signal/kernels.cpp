// SPDX-License-Identifier: Apache-2.0
// The list of the kernels that have no vector form.
#include "core/kernels/signal/signal.h"

namespace anydim {

KernelList signal_kernels() noexcept {
  static const HostKernel* const list[] = {kDet, kRandomUniform};
  return list;
}

}  // namespace anydim
