// SPDX-License-Identifier: Apache-2.0
// What an update does to the number that is there, for scatters with a reduction: docs/numerics.md, sections 4 and 7.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "core/ops/operators/scatter_elements.h"

namespace anydim {

// max and min: NaN if either is NaN, +0 > -0.
template <class T> T combine(ScatterReduction r, T there, T update) noexcept {
  if constexpr (std::is_floating_point_v<T>) {
    if (r == ScatterReduction::add) return there + update;
    if (r == ScatterReduction::mul) return there * update;
    if (std::isnan(there) || std::isnan(update)) return there + update;
    if (there == update) return std::signbit(there) == (r == ScatterReduction::min) ? there : update;
  } else {
    using U = std::make_unsigned_t<T>;  // wraps modulo 2^n
    if (r == ScatterReduction::add) return static_cast<T>(static_cast<U>(there) + static_cast<U>(update));
    if (r == ScatterReduction::mul)
      return static_cast<T>(static_cast<uint64_t>(static_cast<U>(there)) * static_cast<uint64_t>(static_cast<U>(update)));
  }
  return (r == ScatterReduction::max) == (there > update) ? there : update;
}

}  // namespace anydim
