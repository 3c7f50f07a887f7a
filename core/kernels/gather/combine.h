// SPDX-License-Identifier: Apache-2.0
// What an update does to the number that is there, for scatters with a reduction: docs/numerics.md, sections 4 and 7.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/ops/operators/scatter_elements.h"

namespace anydim {

// max and min: NaN if either is NaN, +0 > -0.
template <class T> T combine(ScatterReduction r, T there, T update) noexcept {
  if constexpr (std::is_floating_point_v<T>) {
    if (r == ScatterReduction::add) return there + update;
    if (r == ScatterReduction::mul) return there * update;
    // As whole numbers in the same order, in which -0 is below +0: no branch.
    using I = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
    constexpr I kMost = std::numeric_limits<I>::max();
    const auto turned = [](I v) { return static_cast<I>(v ^ ((v >> (8 * sizeof(I) - 1)) & kMost)); };
    const I a = turned(std::bit_cast<I>(there)), b = turned(std::bit_cast<I>(update));
    const T best = std::bit_cast<T>(turned((r == ScatterReduction::max) == (a > b) ? a : b));
    const bool unordered = (there != there) | (update != update);
    return unordered ? there + update : best;
  } else {
    using U = std::make_unsigned_t<T>;  // wraps modulo 2^n
    if (r == ScatterReduction::add) return static_cast<T>(static_cast<U>(there) + static_cast<U>(update));
    if (r == ScatterReduction::mul)
      return static_cast<T>(static_cast<uint64_t>(static_cast<U>(there)) * static_cast<uint64_t>(static_cast<U>(update)));
  }
  return (r == ScatterReduction::max) == (there > update) ? there : update;
}

}  // namespace anydim
