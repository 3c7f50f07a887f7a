// SPDX-License-Identifier: Apache-2.0
// The caller's wish about reusable and specialised kernels. A hint: it changes time, never results.
#pragma once

#include <cstdint>

namespace anydim {

enum class ReusePolicy : int32_t { automatic = 0, reusable = 1, specialised = 2, reusable_first = 3 };
enum class Tier : int32_t { reusable = 0, specialised = 1 };
const char* policy_name(ReusePolicy policy) noexcept;
const char* tier_name(Tier tier) noexcept;

}  // namespace anydim
