// SPDX-License-Identifier: Apache-2.0
// RandomUniform: checks and shape rule.
#include "core/ops/operators/random_uniform.h"

#include "core/ops/check.h"

namespace anydim {

Status RandomUniform::normalize(Attributes* a) {
  if (a->dtype != DType::f32 && a->dtype != DType::f64)
    return invalid("random_uniform: dtype is {}; expected f32 or f64", dtype_name(a->dtype));
  return {};
}

Status RandomUniform::infer(DimPool&, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 0, 0).at("random_uniform"));
  out[0] = {at_.dtype, at_.dims};
  return {};
}

}  // namespace anydim
