// SPDX-License-Identifier: Apache-2.0
// A scale and a shift per output channel, put into the weights and the bias of a convolution, transposed convolution or
// matmul with constant weights.
#pragma once

#include <vector>

#include "core/graph/ir.h"

namespace anydim {

struct ScaleShift {
  int axis = -1;  // of the output; -1: one value for all
  bool has_scale = false, has_shift = false;
  std::vector<double> scale, shift;  // one value, or one per channel
};

// A node that computes `feeder`'s operator with the scale and shift applied, inserted beside it; its output. kNoValue if this
// feeder cannot take them (weights that are no constants, another axis, a result that overflows).
Result<ValueId> fold_into(Graph& graph, const Node& feeder, const ScaleShift& by);

}  // namespace anydim
