// SPDX-License-Identifier: Apache-2.0
// Keys of kernels as text; see kernel_key.h.
#include "core/kernels/kernel_key.h"

namespace anydim {

std::string key_text(const KernelKey& key) {
  static constexpr const char* kLayouts[] = {"any", "channels_last", "row_major"};
  const std::string features = features_text(key.isa);
  return formatted("{} {}>{} {} {}{} {}{}", op_name(key.op), dtype_name(key.src), dtype_name(key.dst),
                   kLayouts[static_cast<size_t>(key.layout)], features.empty() ? "portable" : "needs ", features, math_name(key.mode),
                   key.quantized ? " quantized" : "");
}

}  // namespace anydim
