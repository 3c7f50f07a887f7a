// SPDX-License-Identifier: Apache-2.0
// Expand: checks and shape rule.
#include "core/ops/expand.h"

#include "core/ops/check.h"

namespace anydim {

namespace {
Status check_target(const SymDims& dims) {
  for (int i = 0; i < dims.rank; ++i)
    if (dims[i].is_number() && dims[i].number() < 0) return invalid("target dim {} is {}; expected at least 0", i, dims[i].number());
  return {};
}
}  // namespace

Result<OperatorPtr> Expand::make(const SymDims& dims) {
  ANYDIM_TRY(check_target(dims));
  return OperatorPtr(new Expand(dims));
}

OperatorPtr Expand::with_dim_attributes(std::span<const Dim> dims) const { return OperatorPtr(new Expand(SymDims{dims})); }

Status Expand::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 1, 1));
  ANYDIM_TRY(check_target(dims_));
  SymDims dims;
  ANYDIM_TRY(broadcast_dims(pool, in[0].dims, dims_, &dims));
  out[0] = {in[0].dtype, dims};
  return {};
}

void Expand::attributes(AttributeSink& sink) const { sink.field("dims", dim_attributes()); }

}  // namespace anydim
