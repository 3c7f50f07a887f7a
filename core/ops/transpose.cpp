// SPDX-License-Identifier: Apache-2.0
// Transpose: checks and shape rule.
#include "core/ops/transpose.h"

#include "core/ops/check.h"

namespace anydim {

Result<OperatorPtr> Transpose::make(const Perm& perm) {
  uint32_t seen = 0;
  for (int i = 0; i < perm.rank; ++i) {
    if (perm[i] < 0 || perm[i] >= perm.rank || (seen >> perm[i] & 1))
      return invalid("perm[{}] is {}; expected each of 0..{} once", i, perm[i], perm.rank - 1);
    seen |= 1u << perm[i];
  }
  return OperatorPtr(new Transpose(perm));
}

bool Transpose::is_identity() const noexcept {
  for (int i = 0; i < perm_.rank; ++i)
    if (perm_[i] != i) return false;
  return true;
}

Status Transpose::infer(DimPool&, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 1, 1));
  ANYDIM_TRY(check_rank(in[0], 0, perm_.rank, perm_.rank));
  SymDims dims;
  for (int i = 0; i < perm_.rank; ++i) dims.push_back(in[0].dims[perm_[i]]);
  out[0] = {in[0].dtype, dims};
  return {};
}

void Transpose::attributes(AttributeSink& sink) const {
  int64_t perm[kMaxRank];
  for (int i = 0; i < perm_.rank; ++i) perm[i] = perm_[i];
  sink.field("perm", std::span<const int64_t>(perm, static_cast<size_t>(perm_.rank)));
}

}  // namespace anydim
