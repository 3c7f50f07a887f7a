// SPDX-License-Identifier: Apache-2.0
// Attributes and shape rule of softmax.
#include "core/ops/operators/softmax.h"

namespace anydim {

Status Softmax::infer(DimPool&, std::span<const TensorType> in, std::span<TensorType> out) const {
  if (in.size() != 1) return invalid("softmax: {} inputs given; expected 1", in.size());
  if (!dtype_is_float(in[0].dtype)) return invalid("softmax: input has dtype {}; expected a float", dtype_name(in[0].dtype));
  int axis;
  ANYDIM_TRY(normalise_axis(at_.axis, in[0].dims.rank, "softmax: axis", &axis));
  out[0] = in[0];
  return {};
}

}  // namespace anydim
