// SPDX-License-Identifier: Apache-2.0
// Det: shape rule and work.
#include "core/ops/operators/det.h"

#include "core/ops/check.h"
#include "core/ops/requirements.h"

namespace anydim {

Status Det::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 1, 1).at("det"));
  ANYDIM_TRY(check_rank(in[0], 0, 2, kMaxRank).at("det"));
  if (!dtype_is_float(in[0].dtype)) return invalid("det: input 0 has dtype {}; expected a float", dtype_name(in[0].dtype));
  SymDims dims = in[0].dims;
  const Dim columns = dims[dims.rank - 1], rows = dims[dims.rank - 2];
  ANYDIM_TRY(check_same_dim(columns, rows, 0, dims.rank - 1).at("det"));
  ANYDIM_TRY(require_equal(pool, columns, rows, "rows and columns"));
  dims.rank -= 2;
  out[0] = {in[0].dtype, dims};
  return {};
}

Work Det::work(std::span<const Dims> in, std::span<const Dims>) const noexcept {
  return {-1, in.empty() ? 0 : count_of(in[0]) * static_cast<double>(in[0].back()) / 3};
}

}  // namespace anydim
