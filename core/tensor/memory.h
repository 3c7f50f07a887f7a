// SPDX-License-Identifier: Apache-2.0
// Where an actual tensor lies: what a call checks of memory that somebody else gave, before anything is written.
#pragma once

#include "core/tensor/dims.h"

namespace anydim {

// Addresses from the first byte of the lowest element to one past the last byte of the highest; both 0 for no elements.
struct AddressRange {
  uintptr_t first = 0, last = 0;
};
AddressRange address_range(const TensorView& t) noexcept;
inline bool overlap(const AddressRange& a, const AddressRange& b) noexcept { return a.first < b.last && b.first < a.last; }

// Can two different indices be one address? False is certain; true also comes for axes that interleave without meeting
// (dims 3x2 with strides 2, 3), which nobody writes into.
bool may_repeat_elements(const TensorView& t) noexcept;

}  // namespace anydim
