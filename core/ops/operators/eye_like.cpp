// SPDX-License-Identifier: Apache-2.0
// EyeLike: shape rule.
#include "core/ops/operators/eye_like.h"

#include "core/ops/check.h"

namespace anydim {

Status EyeLike::infer(DimPool&, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 1, 1));
  ANYDIM_TRY(check_rank(in[0], 0, 2, 2));
  out[0] = {at_.dtype == DType::none ? in[0].dtype : at_.dtype, in[0].dims};
  return {};
}

}  // namespace anydim
