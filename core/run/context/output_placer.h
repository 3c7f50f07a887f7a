// SPDX-License-Identifier: Apache-2.0
// Who places outputs of a run when their dims are known: memory of results (core/run/context/context_pool.h), parts of a state.
#pragma once

#include <cstddef>
#include <span>

#include "core/base/status.h"
#include "core/tensor/views.h"

namespace anydim {

class OutputPlacer {
 public:
  // Before the first step. `dims`: of all outputs; a negative one is found by the run only. Places those outputs that it wants to place.
  // `moved`: the inputs, which the caller's span shows, lie elsewhere now. Within the call, maybe on another thread.
  virtual Status place(std::span<const Dims> dims, std::span<TensorView> out, bool* moved) = 0;
  // After the last step, of an output that it left to the context, with the dims that the run found. It is copied to where `out` lies
  // then, or stays where it is.
  virtual Status place_found(size_t output, const Dims& dims, TensorView* out) = 0;

 protected:
  ~OutputPlacer() = default;
};

}  // namespace anydim
