// SPDX-License-Identifier: Apache-2.0
// Shape rule of the conversion.
#include "core/ops/cast.h"

namespace anydim {

Result<OperatorPtr> Cast::make(DType to) {
  if (dtype_size(to) == 0) return invalid("cast: dtype {} is not one to cast to", static_cast<int>(to));
  auto op = std::make_shared<Cast>();
  op->to_ = to;
  return OperatorPtr(std::move(op));
}

Status Cast::infer(DimPool&, std::span<const TensorType> in, std::span<TensorType> out) const {
  if (in.size() != 1 || in[0].dtype == DType::none) return invalid("cast: {} inputs given; expected 1", in.size());
  out[0] = {to_, in[0].dims};
  return {};
}

void Cast::attributes(AttributeSink& sink) const { sink.field("to", dtype_name(to_)); }

}  // namespace anydim
