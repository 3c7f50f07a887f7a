// SPDX-License-Identifier: Apache-2.0
// The clips of pass steps_of_16_bits: of what they are chosen to be, the fewest. docs/numerics.md, section 8, says which are left out.
#pragma once

#include <map>

#include "core/graph/ir.h"

namespace anydim {

// `steps`: values made by a clip, each with the size of its steps. Those that cut less than two steps, by what is known of their operand,
// or what all their readers cut, are left out; one before a scale or shift that another one follows goes behind it, into the other. So
// functions that are written out have nothing between their steps.
Status leave_out_clips(Graph& graph, std::map<ValueId, float> steps);

}  // namespace anydim
