// SPDX-License-Identifier: Apache-2.0
// Shape rule of the selection.
#include "core/ops/operators/where.h"

#include "core/ops/requirements.h"

namespace anydim {

Status Where::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  if (in.size() != 3) return invalid("where: {} inputs given; expected condition, a and b", in.size());
  if (in[0].dtype != DType::boolean) return invalid("where: condition has dtype {}; expected bool", dtype_name(in[0].dtype));
  if (in[1].dtype == DType::none || in[1].dtype != in[2].dtype)
    return invalid("where: a and b have dtypes {} and {}; expected one dtype", dtype_name(in[1].dtype), dtype_name(in[2].dtype));
  require_broadcast(pool, in[1].dims, in[2].dims);
  require_broadcast(pool, in[0].dims, in[1].dims);
  require_broadcast(pool, in[0].dims, in[2].dims);
  SymDims both;
  ANYDIM_TRY(broadcast_dims(pool, in[1].dims, in[2].dims, &both).at("where"));
  ANYDIM_TRY(broadcast_dims(pool, in[0].dims, both, &both).at("where"));
  out[0] = {in[1].dtype, both};
  return {};
}

}  // namespace anydim
