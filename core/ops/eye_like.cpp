// SPDX-License-Identifier: Apache-2.0
// EyeLike: shape rule.
#include "core/ops/eye_like.h"

#include "core/ops/check.h"

namespace anydim {

Result<OperatorPtr> EyeLike::make(DType dtype, int64_t k) { return OperatorPtr(new EyeLike(dtype, k)); }

Status EyeLike::infer(DimPool&, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 1, 1));
  ANYDIM_TRY(check_rank(in[0], 0, 2, 2));
  out[0] = {dtype_ == DType::none ? in[0].dtype : dtype_, in[0].dims};
  return {};
}

void EyeLike::attributes(AttributeSink& sink) const {
  sink.field("dtype", dtype_name(dtype_));
  sink.field("k", k_);
}

}  // namespace anydim
