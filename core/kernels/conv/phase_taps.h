// SPDX-License-Identifier: Apache-2.0
// The taps of output positions phase + j * stride of an axis, those in the padding included. Plain data: bodies of an instruction set
// read it, too; geometry.h has the function that makes it.
#pragma once

#include <cstdint>

namespace anydim {

// Kernel positions k + t * k_step (t < count) read input position j + shift + t * shift_step.
struct PhaseTaps {
  int64_t k = 0, k_step = 1, count = 0;
  int64_t shift = 0, shift_step = 0;
};

}  // namespace anydim
