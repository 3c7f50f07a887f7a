// SPDX-License-Identifier: Apache-2.0
// The list of what has no vector form.
#include "core/kernels/signal/signal.h"

namespace anydim {

KernelList signal_kernels() noexcept {
  static const HostKernel* const list[] = {kRandomUniform};
  return list;
}

}  // namespace anydim
