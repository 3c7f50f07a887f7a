// SPDX-License-Identifier: Apache-2.0
// Attributes and shape rule of layer normalisation.
#include "core/ops/operators/layer_norm.h"

#include "core/ops/requirements.h"

namespace anydim {

Status LayerNorm::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  if (in.empty() || in.size() > 3) return invalid("layer_norm: {} inputs given; expected x, scale and bias", in.size());
  if (!dtype_is_float(in[0].dtype)) return invalid("layer_norm: x has dtype {}; expected a float", dtype_name(in[0].dtype));
  const SymDims dims = in[0].dims;
  int axis;
  ANYDIM_TRY(normalise_axis(at_.axis, dims.rank, "layer_norm: axis", &axis));
  for (size_t i = 1; i < in.size(); ++i) {
    const char* name = i == 1 ? "scale" : "bias";
    if (in[i].dtype == DType::none) continue;
    if (in[i].dtype != in[0].dtype)
      return invalid("layer_norm: {} has dtype {}; expected that of x, {}", name, dtype_name(in[i].dtype), dtype_name(in[0].dtype));
    bool fits = in[i].dims.rank == dims.rank - axis;
    for (int a = axis; fits && a < dims.rank; ++a) {
      const Dim want = dims[a], found = in[i].dims[a - axis];
      fits = !want.is_number() || !found.is_number() || want == found;
    }
    if (!fits)
      return invalid("layer_norm: {} has dims {}; expected those of the normalised axes of x {} from axis {}", name, pool.text(in[i].dims),
                     pool.text(dims), axis);
    for (int a = 1; a <= in[i].dims.rank; ++a)
      ANYDIM_TRY(require_equal(pool, dims[dims.rank - a], in[i].dims[in[i].dims.rank - a], "axis -{} of its scale or bias", a));
  }
  out[0] = {in[0].dtype, dims};
  return {};
}

}  // namespace anydim
