// SPDX-License-Identifier: Apache-2.0
// Models that no dims can satisfy. Asked before any pass, so that the answer is the same for every set of passes.
#pragma once

#include "core/graph/ir.h"

namespace anydim {

// An error that names the first node that no run can pass, since what it asks of dims contradicts what other nodes ask. Not every
// contradiction is found: one that is not is an error of each run, with every set of passes.
Status check_possible(Graph& graph);

}  // namespace anydim
