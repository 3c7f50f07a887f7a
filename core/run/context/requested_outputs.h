// SPDX-License-Identifier: Apache-2.0
// What a caller may ask of a run, checked before anything is done for it: how many outputs, and of which dtype those are that the run
// has to place. The one place for sessions and contexts; memory that a caller provides is checked when the shape is bound
// (caller_tensors.h), as inputs are.
#pragma once

#include <span>

#include "core/base/status.h"
#include "core/tensor/views.h"

namespace anydim {

struct Program;

// `out`: one view for each output, or none at all.
Status check_requested_outputs(const Program& program, std::span<const TensorView> out);

}  // namespace anydim
