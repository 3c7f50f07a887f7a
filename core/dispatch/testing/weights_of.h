// SPDX-License-Identifier: Apache-2.0
// Weights for tests: of an operator's inputs from the second on, where nothing else is known.
#pragma once

#include <vector>

#include "core/dispatch/primitive/registry.h"
#include "core/dispatch/weights/weights.h"

namespace anydim {

// Tensors from operand `first` on, by operand.
inline std::vector<TensorView> by_operand(std::span<const TensorView> tensors, size_t first = 1) {
  std::vector<TensorView> all(first);
  all.insert(all.end(), tensors.begin(), tensors.end());
  return all;
}

inline Status weights_of(const EnginePtr& engine, const OperatorPtr& op, std::span<const TensorView> tensors, WeightsPtr* out,
                         std::string_view kernel = "") {
  WeightsUse use;
  use.kernel = kernel;
  return Weights::create(engine, op, by_operand(tensors), use, out);
}

}  // namespace anydim
