// SPDX-License-Identifier: Apache-2.0
// Values whose roundings show: a rewriting that rounds otherwise leaves them alone. One answer per value of the graph; values
// that are made later have none.
#pragma once

#include <vector>

#include "core/graph/ir.h"

namespace anydim {

// Values that sizes are computed from: floor() of a number that is rounded otherwise may be another size.
std::vector<bool> leads_to_sizes(const Graph& graph);

// Values that whole numbers made of floats follow from (roundings, positions, casts, comparisons, quantized values) with nothing in
// between that sums over weights: there the order of the sums is a choice of its own, and every implementation's whole numbers are its
// own.
std::vector<bool> leads_to_steps(const Graph& graph, bool is_body);

}  // namespace anydim
