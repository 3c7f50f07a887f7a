// SPDX-License-Identifier: Apache-2.0
// Shape rule of the conversion.
#include "core/ops/operators/cast.h"

namespace anydim {

Status Cast::infer(DimPool&, std::span<const TensorType> in, std::span<TensorType> out) const {
  if (in.size() != 1 || in[0].dtype == DType::none) return invalid("cast: {} inputs given; expected 1", in.size());
  out[0] = {at_.to, in[0].dims};
  return {};
}

}  // namespace anydim
