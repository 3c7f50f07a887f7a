// SPDX-License-Identifier: Apache-2.0
// Pad: checks and shape rule.
#include "core/ops/operators/pad.h"

#include "core/ops/check.h"
#include "core/ops/requirements.h"

namespace anydim {

Status Pad::normalize(Attributes* a) {
  if (a->before.rank == a->after.rank) return {};
  return invalid("pad has {} counts before and {} after; expected one of each per axis", a->before.rank, a->after.rank);
}

Status Pad::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 1, 2));
  ANYDIM_TRY(check_rank(in[0], 0, rank(), rank()));
  if (in.size() > 1 && in[1].dtype != DType::none) {
    if (in[1].dtype != in[0].dtype)
      return invalid("input 1 (pad value) has dtype {}; the data has {}", dtype_name(in[1].dtype), dtype_name(in[0].dtype));
    for (int i = 0; i < in[1].dims.rank; ++i)
      if (in[1].dims[i].is_number() && !in[1].dims[i].is(1))
        return invalid("input 1 (pad value) dim {} is {}; expected one element", i, in[1].dims[i].number());
    ANYDIM_TRY(require_count(pool, in[1].dims, {}, "number of pad values"));
  }
  SymDims dims;
  for (int i = 0; i < rank(); ++i) {
    const Dim d = in[0].dims[i], n = pool.add(pool.add(d, before(i)), after(i));
    if (n.is_number() && n.number() < 0) return invalid("pads of axis {} leave {} elements; expected at least 0", i, n.number());
    if (mode() != Mode::constant && d.is(0) && n.is_number() && n.number() > 0)
      return invalid("input 0 dim {} is 0: there is nothing to {} pads from", i, mode() == Mode::wrap ? "wrap" : "copy");
    if (mode() != Mode::constant) ANYDIM_TRY(require_source(pool, d, n, "axis {}", i));
    dims.push_back(n);
  }
  out[0] = {in[0].dtype, dims};
  return {};
}

}  // namespace anydim
