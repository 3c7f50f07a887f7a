// SPDX-License-Identifier: Apache-2.0
// Copies of places, by the size of an element; see places.h.
#include "core/kernels/resize/places.h"

#include <cstring>

namespace anydim {

namespace {

template <class T> void pick(const ResizePlacesApart& p, const std::byte* apart, std::byte* dense) noexcept {
  constexpr int64_t kSize = sizeof(T);
  for (int64_t c = 0; c < p.run; ++c, apart += kSize, dense += kSize) {
    std::byte* to = dense;
    if (p.elements != nullptr)
      for (int64_t i = 0; i < p.n; ++i, to += p.run * kSize) std::memcpy(to, apart + p.elements[i] * p.step * kSize, kSize);
    else
      for (int64_t i = 0; i < p.n; ++i, to += p.run * kSize) std::memcpy(to, apart + i * p.step * kSize, kSize);
  }
}

template <class T> void put(const ResizePlacesApart& p, const std::byte* dense, std::byte* apart) noexcept {
  constexpr int64_t kSize = sizeof(T);
  for (int64_t c = 0; c < p.run; ++c)
    for (int64_t i = 0; i < p.n; ++i) std::memcpy(apart + (i * p.step + c) * kSize, dense + (i * p.run + c) * kSize, kSize);
}

}  // namespace

void pick_places(const ResizePlacesApart& p, const std::byte* apart, std::byte* dense) noexcept {
  switch (p.size) {
    case 1: return pick<uint8_t>(p, apart, dense);
    case 2: return pick<uint16_t>(p, apart, dense);
    case 4: return pick<uint32_t>(p, apart, dense);
    default: return pick<uint64_t>(p, apart, dense);
  }
}
void put_places(const ResizePlacesApart& p, const std::byte* dense, std::byte* apart) noexcept {
  switch (p.size) {
    case 1: return put<uint8_t>(p, dense, apart);
    case 2: return put<uint16_t>(p, dense, apart);
    case 4: return put<uint32_t>(p, dense, apart);
    default: return put<uint64_t>(p, dense, apart);
  }
}

}  // namespace anydim
