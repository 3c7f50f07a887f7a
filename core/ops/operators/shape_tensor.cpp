// SPDX-License-Identifier: Apache-2.0
// ShapeTensor: checks and shape rule.
#include "core/ops/operators/shape_tensor.h"

#include "core/ops/check.h"

namespace anydim {

Status ShapeTensor::normalize(Attributes* a) {
  if (a->scalar && a->values.size() != 1) return invalid("a scalar of {} values; expected 1", a->values.size());
  return {};
}

Status ShapeTensor::infer(DimPool&, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 0, 0));
  out[0] = {at_.dtype, {}};
  if (!at_.scalar) out[0].dims.push_back(static_cast<int64_t>(at_.values.size()));
  return {};
}

}  // namespace anydim
