// SPDX-License-Identifier: Apache-2.0
// RoiAlign: shape rule, work, and which batches make sense.
#include "core/ops/operators/roi_align.h"

#include "core/ops/check.h"
#include "core/ops/requirements.h"

namespace anydim {

Status RoiAlign::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 3, 3).at("roi_align"));
  ANYDIM_TRY(check_rank(in[0], 0, 4, 4).at("roi_align"));
  ANYDIM_TRY(check_rank(in[1], 1, 2, 2).at("roi_align"));
  ANYDIM_TRY(check_rank(in[2], 2, 1, 1).at("roi_align"));
  for (size_t i = 0; i < 2; ++i)
    if (!dtype_is_float(in[i].dtype) || in[i].dtype != in[0].dtype)
      return invalid("roi_align: input {} has dtype {}; expected one float for x and rois", i, dtype_name(in[i].dtype));
  ANYDIM_TRY(check_index_dtype(in[2], 2).at("roi_align"));
  ANYDIM_TRY(check_same_dim(in[1].dims[1], 4, 1, 1).at("roi_align"));
  ANYDIM_TRY(check_same_dim(in[2].dims[0], in[1].dims[0], 2, 0).at("roi_align"));
  ANYDIM_TRY(require_equal(pool, in[1].dims[1], 4, "numbers of a region"));
  ANYDIM_TRY(require_equal(pool, in[2].dims[0], in[1].dims[0], "regions of rois and batch"));
  out[0] = {in[0].dtype, {in[1].dims[0], in[0].dims[1], at_.height, at_.width}};
  return {};
}

ValueRange RoiAlign::sensible_values(std::span<const Dims> in, size_t input) const noexcept {
  return input == 2 ? index_into(in[0][0]) : ValueRange();
}

Work RoiAlign::work(std::span<const Dims>, std::span<const Dims> out) const noexcept {
  const auto samples = static_cast<double>(at_.samples > 0 ? at_.samples : 2);
  return {-1, out.empty() ? 0 : 4 * samples * samples * count_of(out[0])};
}

}  // namespace anydim
