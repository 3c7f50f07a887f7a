// SPDX-License-Identifier: Apache-2.0
// Trilu: shape rule.
#include "core/ops/operators/trilu.h"

#include "core/ops/check.h"
#include "core/tensor/dims.h"

namespace anydim {

Status Trilu::infer(DimPool&, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 1, 1));
  ANYDIM_TRY(check_rank(in[0], 0, 2, kMaxRank));
  out[0] = in[0];
  return {};
}

}  // namespace anydim
