// SPDX-License-Identifier: Apache-2.0
// What messages say where something is not in a subset build; see subset.h.
#pragma once

#include <string>

#include "core/ops/subset.h"

namespace anydim::subset {

// What a message about something that is not there ends with; nothing in the whole library.
inline std::string reason() {
  if constexpr (kWhole) return {};
  else return std::string("; this library was built for ") + kMadeFor + ", and what that does not use was left out";
}

}  // namespace anydim::subset
