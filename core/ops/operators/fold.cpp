// SPDX-License-Identifier: Apache-2.0
// Fold: checks and shape rule.
#include "core/ops/operators/fold.h"

#include <algorithm>

#include "core/base/checked.h"
#include "core/ops/check.h"
#include "core/ops/requirements.h"

namespace anydim {

Status Fold::normalize(Attributes* a) {
  if (a->image.rank != a->spatial) return invalid("fold: image has {} dims; expected {}", a->image.rank, a->spatial);
  if (a->window.rank != a->spatial) return invalid("fold: window has {} dims; expected {}", a->window.rank, a->spatial);
  int64_t taps = 1;
  for (const Dim d : a->window)
    if (d.is_number()) taps = saturating_mul(taps, d.number());
  if (taps >= kMaxSize) return unimplemented("fold: the window has 2^62 positions or more; expected fewer");
  return {};
}

Status Fold::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 1, 1).at("fold"));
  ANYDIM_TRY(check_rank(in[0], 0, 3, 3).at("fold"));
  if (in[0].dtype == DType::boolean) return unimplemented("fold: input 0 has dtype bool; expected numbers");
  Dim taps = 1, windows = 1;
  SymDims dims{in[0].dims[0], 0};
  for (int i = 0; i < at_.spatial; ++i) {
    taps = pool.mul(taps, at_.window[i]);
    const Dim reach = pool.mul(pool.sub(at_.window[i], 1), at_.dilations[i]);
    const Dim room = pool.sub(pool.add(at_.image[i], at_.pads_begin[i] + at_.pads_end[i]), reach);
    windows = pool.mul(windows, pool.max(pool.ceil_div(room, at_.strides[i]), 0));
    dims.push_back(at_.image[i]);
  }
  const Dim rows = in[0].dims[1];
  const Dim channels = pool.floor_div(rows, pool.max(taps, 1));
  if (rows.is_number() && taps.is_number() && rows.number() % std::max<int64_t>(taps.number(), 1) != 0)
    return invalid("fold: input 0 dim 1 is {}; expected a multiple of the window's {} elements", rows.number(), taps.number());
  ANYDIM_TRY(check_same_dim(in[0].dims[2], windows, 0, 2).at("fold"));
  ANYDIM_TRY(require_equal(pool, rows, pool.mul(channels, taps), "rows of columns and a multiple of the window"));
  ANYDIM_TRY(require_equal(pool, in[0].dims[2], windows, "columns and windows of the image"));
  dims[1] = channels;
  out[0] = {in[0].dtype, dims};
  return {};
}

Work Fold::work(std::span<const Dims> in, std::span<const Dims>) const noexcept { return {-1, in.empty() ? 0 : count_of(in[0])}; }

}  // namespace anydim
