// SPDX-License-Identifier: Apache-2.0
// Dft: shape rule and work.
#include "core/ops/operators/dft.h"

#include <cmath>

#include "core/ops/check.h"
#include "core/ops/requirements.h"

namespace anydim {

Status Dft::normalize(Attributes* a) {
  if (a->length.is_number() && a->length.number() > (INT64_C(1) << 30))
    return unimplemented("dft: length is {}; expected at most 2^30", a->length.number());
  return {};
}

Status Dft::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 1, 1).at("dft"));
  const SymDims& x = in[0].dims;
  ANYDIM_TRY(check_rank(in[0], 0, 2, kMaxRank).at("dft"));
  if (!dtype_is_float(in[0].dtype)) return invalid("dft: input 0 has dtype {}; expected a float", dtype_name(in[0].dtype));
  const Dim parts = x[x.rank - 1];
  if (!parts.is_number()) return unimplemented("dft: input 0 dim {} is only known at run time; expected 1 or 2", x.rank - 1);
  if (!parts.is(1) && !parts.is(2)) return invalid("dft: input 0 dim {} is {}; expected 1 or 2", x.rank - 1, parts.number());
  if (at_.axis.is_number() && at_.axis.number() >= x.rank - 1)
    return invalid("dft: axis is {}; expected one before the last of rank {}", at_.axis.number(), x.rank);
  ANYDIM_TRY(require_at_most(pool, at_.axis, x.rank - 2, "the axis, which comes before the last one,"));
  const Dim made = at_.onesided && !at_.inverse ? pool.add(pool.floor_div(at_.length, 2), 1) : at_.length;
  SymDims dims = x;
  for (int a = 0; a < x.rank - 1; ++a) {
    const Dim meant = pool.equal(at_.axis, a);
    if (meant.is(1) && x[a].is(0) && at_.length.is_number() && !at_.length.is(0))
      return invalid("dft: axis {} has no elements; length is {}", a, at_.length.number());
    if (meant.is(1)) ANYDIM_TRY(require_source(pool, x[a], at_.length, "elements of the axis"));
    dims[a] = pool.select(meant, made, x[a]);
  }
  dims[dims.rank - 1] = at_.onesided && at_.inverse ? 1 : 2;
  out[0] = {in[0].dtype, dims};
  return {};
}

Work Dft::work(std::span<const Dims>, std::span<const Dims> out) const noexcept {
  if (out.empty()) return {-1, 0};
  const auto n = static_cast<double>(at_.length.is_number() ? at_.length.number() : 1024);
  return {-1, 4 * count_of(out[0]) * std::log2(n + 2)};
}

}  // namespace anydim
