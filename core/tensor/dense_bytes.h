// SPDX-License-Identifier: Apache-2.0
// The elements of any tensor as dense row-major bytes. Not for speed: constants are copied once.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

#include "core/tensor/dims.h"

namespace anydim {

inline std::vector<std::byte> dense_bytes(const TensorView& t) {
  const int64_t size = dtype_size(t.dtype), count = t.count();
  std::vector<std::byte> all(static_cast<size_t>(count * size));
  if (is_row_major(t)) {
    if (!all.empty()) std::memcpy(all.data(), t.data, all.size());
    return all;
  }
  Dims at = Dims::filled(t.dims.rank, 0);
  for (int64_t i = 0; i < count; ++i) {
    int64_t offset = 0;
    for (int a = 0; a < at.rank; ++a) offset += at[a] * t.strides[a];
    std::memcpy(all.data() + i * size, static_cast<const std::byte*>(t.data) + offset * size, static_cast<size_t>(size));
    for (int a = at.rank - 1; a >= 0 && ++at[a] == t.dims[a]; --a) at[a] = 0;
  }
  return all;
}

}  // namespace anydim
