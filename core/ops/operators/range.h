// SPDX-License-Identifier: Apache-2.0
// Range: start, start + delta, ... as a vector of `count` elements; no inputs. Element i is T(start) + T(i) * T(delta),
// each operation rounded in T. Starts and deltas are dims (integers that may depend on shapes) or real constants.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class Range final : public Described<Range, RangeAttributes> {
 public:
  using Described::Described;
  using Described::make;
  // Any numeric dtype but f16 and bf16.
  static Result<OperatorPtr> make(DType dtype, Dim start, Dim delta, Dim count) {
    return make(Attributes{dtype, false, start, delta, count});
  }
  // f32 or f64, with the number of elements that ONNX gives: max(ceil((limit - start) / delta), 0).
  static Result<OperatorPtr> make_real(DType dtype, double start, double limit, double delta);
  static Status normalize(Attributes* a);
  // max(ceil((limit - start) / delta), 0). Of a delta that is no number the caller sees to it that it is not 0.
  static Result<Dim> count_for(DimPool& pool, Dim start, Dim limit, Dim delta);

  DType dtype() const noexcept { return at_.dtype; }
  bool is_real() const noexcept { return at_.real; }  // then start and delta are these, not dims
  double real_start() const noexcept { return at_.real_start; }
  double real_delta() const noexcept { return at_.real_delta; }

  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
};

}  // namespace anydim
