// SPDX-License-Identifier: Apache-2.0
// Attributes and shape rule of running sums, and which axes make sense.
#include "core/ops/operators/cumsum.h"

#include "core/ops/requirements.h"

namespace anydim {

Status CumSum::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  if (in.size() != 2) return invalid("cumsum: {} inputs given; expected x and axis", in.size());
  if (in[0].dtype == DType::none || in[0].dtype == DType::boolean)
    return invalid("cumsum: x has dtype {}; expected numbers", dtype_name(in[0].dtype));
  if (in[1].dtype != DType::i32 && in[1].dtype != DType::i64)
    return invalid("cumsum: axis has dtype {}; expected i32 or i64", dtype_name(in[1].dtype));
  for (Dim d : in[1].dims)
    if (d.is_number() && !d.is(1)) return invalid("cumsum: axis has dims {}; expected one element", pool.text(in[1].dims));
  if (in[0].dims.rank == 0) return invalid("cumsum: x is a scalar; expected at least one axis");
  ANYDIM_TRY(require_count(pool, in[1].dims, {}, "number of axes"));
  out[0] = in[0];
  return {};
}

// The axis is data.
ValueRange CumSum::sensible_values(std::span<const Dims> in, size_t input) const noexcept {
  return input == 1 ? index_into(in[0].rank) : ValueRange();
}

}  // namespace anydim
