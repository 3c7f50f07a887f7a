// SPDX-License-Identifier: Apache-2.0
// Copies between tensors of any strides: in one piece where both are row-major.
#include "core/run/context/copy_elements.h"

#include <cstring>

#include "core/kernels/copy/copy_core.h"
#include "core/kernels/copy/strided_copy.h"

namespace anydim {

void copy_elements(const TensorView& from, const TensorView& to) noexcept {
  if (from.count() == 0) return;
  if (is_row_major(from) && is_row_major(to)) {
    std::memcpy(to.data, from.data, static_cast<size_t>(from.count() * dtype_size(from.dtype)));
    return;
  }
  StridedCopy copy;
  copy.from = from.as<const std::byte>();
  copy.to = to.as<std::byte>();
  copy.size = dtype_size(from.dtype);
  for (int i = 0; i < from.dims.rank; ++i) copy.axis(from.dims[i], from.strides[i], to.strides[i]);
  run_copy(copy, CopyCore::portable, Parallel{1});
}

}  // namespace anydim
