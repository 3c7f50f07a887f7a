// SPDX-License-Identifier: Apache-2.0
// Why a shape was refused, as a caller can act on it: which dim of which input, and the sizes that the model takes there. Found by
// evaluating what the program asks of its dims at other sizes, after a refusal only.
#pragma once

#include <span>
#include <string>

#include "core/program/program.h"

namespace anydim {

// "input 'x' dim 2 is 32; this model takes 33 to 80; ", where changing one dim, or one element of an input that gives sizes, is enough.
// `slots`: of the refused run. `refused`: the expression whose value was refused. `sizes`: slots that must not be negative. Empty where
// no size nearby is accepted.
std::string accepted_sizes(const Program& program, std::span<const int64_t> slots, Dim refused, std::span<const int32_t> sizes);

// The same of sizes in increasing order, all those that are accepted among first..last: "33 to 80", "33 or more", "80 or less",
// "multiples of 32 from 64", or one that is near to `found`: "33, for example". `open`: there are sizes below first, above last.
struct TriedSizes {
  std::span<const int64_t> accepted;
  int64_t first = 0, last = 0, found = 0;
  bool open_below = false, open_above = false;
};
std::string sizes_text(const TriedSizes& tried);

}  // namespace anydim
