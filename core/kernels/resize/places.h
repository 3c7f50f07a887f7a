// SPDX-License-Identifier: Apache-2.0
// Places of a line that do not lie side by side, copied to where they do, and back.
#pragma once

#include <cstddef>
#include <cstdint>

namespace anydim {

// n places of `run` elements of `size` bytes. Place i is element i * step, or elements[i] * step where there is such a list.
struct ResizePlacesApart {
  int64_t size, run, step, n;
  const int64_t* elements;
};
void pick_places(const ResizePlacesApart& places, const std::byte* apart, std::byte* dense) noexcept;
void put_places(const ResizePlacesApart& places, const std::byte* dense, std::byte* apart) noexcept;

}  // namespace anydim
