// SPDX-License-Identifier: Apache-2.0
// TopK: checks and shape rule.
#include "core/ops/operators/topk.h"

#include "core/ops/check.h"
#include "core/ops/requirements.h"
#include "core/tensor/dims.h"

namespace anydim {

Status TopK::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 1, 1));
  SymDims dims = in[0].dims;
  if (at_.axis >= dims.rank) return invalid("input 0 has rank {}; topk axis is {}", dims.rank, at_.axis);
  const Dim d = dims[at_.axis];
  if (at_.k.is_number() && (at_.k.number() < 0 || (d.is_number() && at_.k.number() > d.number())))
    return d.is_number() ? invalid("k is {}; expected 0 to {}", at_.k.number(), d.number())
                         : invalid("k is {}; expected at least 0", at_.k.number());
  ANYDIM_TRY(require_at_most(pool, at_.k, d, "k"));
  dims[at_.axis] = at_.k;
  out[0] = {in[0].dtype, dims};
  out[1] = {DType::i64, dims};
  return {};
}

}  // namespace anydim
