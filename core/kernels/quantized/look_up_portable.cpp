// SPDX-License-Identifier: Apache-2.0
// Rows of bytes through a table of 256, portable.
#include <cstdint>

#include "core/kernels/quantized/convert_rows.h"

namespace anydim {

void LookUp::portable(const uint8_t* table, const uint8_t* from, uint8_t* to, int64_t n) noexcept {
  for (int64_t i = 0; i < n; ++i) to[i] = table[from[i]];
}

}  // namespace anydim
