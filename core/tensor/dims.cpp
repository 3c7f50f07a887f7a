// SPDX-License-Identifier: Apache-2.0
// Text of actual dims.
#include "core/tensor/dims.h"

namespace anydim {

std::string to_string(const Dims& d) {
  if (d.empty()) return "scalar";
  std::string s;
  for (int i = 0; i < d.rank; ++i) {
    if (i) s += 'x';
    s += std::to_string(d[i]);
  }
  return s;
}

}  // namespace anydim
