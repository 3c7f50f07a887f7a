// SPDX-License-Identifier: Apache-2.0
// The default answers of a host kernel; see kernel.h.
#include "core/kernels/kernel.h"

namespace anydim {

Status HostKernel::pack(const Operator&, std::span<const TensorView>, const Packing&, PackedWeights*) const {
  return error(Code::internal, "kernel {} takes its weights as they are; it has nothing to pack", name());
}

}  // namespace anydim
