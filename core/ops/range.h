// SPDX-License-Identifier: Apache-2.0
// Range: start, start + delta, ... as a vector of `count` elements; no inputs. Element i is T(start) + T(i) * T(delta),
// each operation rounded in T. Starts and deltas are dims (integers that may depend on shapes) or real constants.
#pragma once

#include "core/ops/op.h"

namespace anydim {

class Range final : public Operator {
 public:
  static constexpr OpKind kKind = OpKind::range;
  // Any numeric dtype but f16 and bf16.
  static Result<OperatorPtr> make(DType dtype, Dim start, Dim delta, Dim count);
  // f32 or f64, with the number of elements that ONNX gives: max(ceil((limit - start) / delta), 0).
  static Result<OperatorPtr> make_real(DType dtype, double start, double limit, double delta);
  // max(ceil((limit - start) / delta), 0) for a delta that is a number other than 0.
  static Result<Dim> count_for(DimPool& pool, Dim start, Dim limit, Dim delta);

  OpKind kind() const noexcept override { return kKind; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  std::span<const Dim> dim_attributes() const noexcept override { return dims_; }  // start, delta, count
  OperatorPtr with_dim_attributes(std::span<const Dim> dims) const override;
  void attributes(AttributeSink& sink) const override;

  DType dtype() const noexcept { return dtype_; }
  bool is_real() const noexcept { return real_; }  // then start and delta are these, not dims
  double real_start() const noexcept { return real_start_; }
  double real_delta() const noexcept { return real_delta_; }

 private:
  Range() = default;
  DType dtype_ = DType::i64;
  bool real_ = false;
  double real_start_ = 0, real_delta_ = 0;
  Dim dims_[3];
};

}  // namespace anydim
