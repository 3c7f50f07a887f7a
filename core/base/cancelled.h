// SPDX-License-Identifier: Apache-2.0
// The code of a run that was ended from outside. Apart from status.h so that the few files that know of it are all that it concerns.
#pragma once

#include "core/base/status.h"

namespace anydim {

inline constexpr Code kCancelled = Code::cancelled;

}  // namespace anydim
