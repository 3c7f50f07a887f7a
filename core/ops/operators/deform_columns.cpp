// SPDX-License-Identifier: Apache-2.0
// DeformColumns: checks and shape rule.
#include "core/ops/operators/deform_columns.h"

#include "core/base/checked.h"
#include "core/ops/check.h"
#include "core/ops/requirements.h"

namespace anydim {

Status DeformColumns::normalize(Attributes* a) {
  if (a->spatial != 2) return unimplemented("deform_columns: {} spatial dims; expected 2", a->spatial);
  if (saturating_mul(saturating_mul(a->window[0], a->window[1]), saturating_mul(a->groups, 2)) >= kMaxSize)
    return unimplemented("deform_columns: window and groups have 2^62 offsets or more; expected fewer");
  return {};
}

Status DeformColumns::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 2, 3).at("deform_columns"));
  const bool masked = in.size() > 2 && in[2].dtype != DType::none;
  for (int i = 0; i < 2 + static_cast<int>(masked); ++i) {
    ANYDIM_TRY(check_rank(in[static_cast<size_t>(i)], i, 4, 4).at("deform_columns"));
    const DType t = in[static_cast<size_t>(i)].dtype;
    if (!dtype_is_float(t) || t != in[0].dtype)
      return invalid("deform_columns: input {} has dtype {}; expected one float for all", i, dtype_name(t));
  }
  const int64_t taps = at_.window[0] * at_.window[1];
  const SymDims& x = in[0].dims;
  Dim places = 1;
  for (int i = 0; i < 2; ++i) {
    const int64_t reach = saturating_add(saturating_mul(at_.window[i] - 1, at_.dilations[i]), 1);
    const Dim room = pool.sub(pool.add(x[2 + i], at_.pads_begin[i] + at_.pads_end[i]), reach);
    const Dim n = pool.max(pool.add(pool.floor_div(room, at_.strides[i]), 1), 0);
    places = pool.mul(places, n);
    for (int k = 1; k < 2 + static_cast<int>(masked); ++k) {
      ANYDIM_TRY(check_same_dim(in[static_cast<size_t>(k)].dims[2 + i], n, k, 2 + i).at("deform_columns"));
      ANYDIM_TRY(require_equal(pool, in[static_cast<size_t>(k)].dims[2 + i], n, "positions of input {}", k));
    }
  }
  for (int k = 1; k < 2 + static_cast<int>(masked); ++k) {
    const SymDims& d = in[static_cast<size_t>(k)].dims;
    const int64_t rows = at_.groups * taps * (k == 1 ? 2 : 1);
    ANYDIM_TRY(check_same_dim(d[0], x[0], k, 0).at("deform_columns"));
    ANYDIM_TRY(check_same_dim(d[1], rows, k, 1).at("deform_columns"));
    ANYDIM_TRY(require_equal(pool, d[0], x[0], "batches of input {}", k));
    ANYDIM_TRY(require_equal(pool, d[1], rows, "offsets of input {}", k));
  }
  if (x[1].is_number() && x[1].number() % at_.groups != 0)
    return invalid("deform_columns: input 0 dim 1 is {}; expected a multiple of the {} groups", x[1].number(), at_.groups);
  ANYDIM_TRY(require_multiple(pool, x[1], at_.groups, "channels"));
  out[0] = {in[0].dtype, {x[0], pool.mul(x[1], taps), places}};
  return {};
}

Work DeformColumns::work(std::span<const Dims>, std::span<const Dims> out) const noexcept {
  return {-1, out.empty() ? 0 : 4 * count_of(out[0])};
}

}  // namespace anydim
