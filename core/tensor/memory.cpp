// SPDX-License-Identifier: Apache-2.0
// Which addresses a tensor reaches, and whether it may name one twice; see memory.h.
#include "core/tensor/memory.h"

#include <cstdlib>
#include <utility>

#include "core/tensor/views.h"

namespace anydim {

AddressRange address_range(const TensorView& t) noexcept {
  int64_t lowest = 0;
  const int64_t span = element_span(t.dims, t.strides, &lowest), size = dtype_size(t.dtype);
  if (span == 0) return {};
  const auto base = reinterpret_cast<intptr_t>(t.data) + lowest * size;
  return {static_cast<uintptr_t>(base), static_cast<uintptr_t>(base + span * size)};
}

// Sorted by stride, each axis must clear the reach of those inside it.
bool may_repeat_elements(const TensorView& t) noexcept {
  int axes[kMaxRank], n = 0;
  for (int i = 0; i < t.dims.rank; ++i) {
    if (t.dims[i] == 0) return false;
    if (t.dims[i] > 1) axes[n++] = i;
  }
  for (int i = 1; i < n; ++i)
    for (int j = i; j > 0 && std::abs(t.strides[axes[j]]) < std::abs(t.strides[axes[j - 1]]); --j) std::swap(axes[j], axes[j - 1]);
  int64_t reach = 0;
  for (int i = 0; i < n; ++i) {
    if (std::abs(t.strides[axes[i]]) <= reach) return true;
    reach += (t.dims[axes[i]] - 1) * std::abs(t.strides[axes[i]]);
  }
  return false;
}

}  // namespace anydim
