// SPDX-License-Identifier: Apache-2.0
// BitCast: shape rule.
#include "core/ops/operators/bit_cast.h"

#include "core/ops/check.h"

namespace anydim {

Status BitCast::infer(DimPool&, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 1, 1).at("bit_cast"));
  const DType from = in[0].dtype;
  const auto bits = [](DType t) { return dtype_is_narrow(t) ? narrow_bits(t) : 8 * static_cast<int>(dtype_size(t)); };
  if (bits(from) != bits(at_.to))
    return invalid("bit_cast: {} has {} bits and {} has {}; expected as many", dtype_name(from), bits(from), dtype_name(at_.to),
                   bits(at_.to));
  out[0] = {at_.to, in[0].dims};
  return {};
}

}  // namespace anydim
