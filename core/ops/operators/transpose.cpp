// SPDX-License-Identifier: Apache-2.0
// Transpose: checks and shape rule.
#include "core/ops/operators/transpose.h"

#include "core/ops/check.h"

namespace anydim {

bool Transpose::is_identity() const noexcept {
  for (int i = 0; i < at_.perm.rank; ++i)
    if (at_.perm[i] != i) return false;
  return true;
}

Status Transpose::infer(DimPool&, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 1, 1));
  ANYDIM_TRY(check_rank(in[0], 0, at_.perm.rank, at_.perm.rank));
  SymDims dims;
  for (int i = 0; i < at_.perm.rank; ++i) dims.push_back(in[0].dims[at_.perm[i]]);
  out[0] = {in[0].dtype, dims};
  return {};
}

}  // namespace anydim
