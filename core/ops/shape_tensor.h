// SPDX-License-Identifier: Apache-2.0
// ShapeTensor: integers known from shapes (dims and arithmetic on them) as a tensor; no inputs. It is what a graph
// puts where a model's shape arithmetic feeds a real operator or an output.
#pragma once

#include <vector>

#include "core/ops/op.h"

namespace anydim {

class ShapeTensor final : public Operator {
 public:
  static constexpr OpKind kKind = OpKind::shape_tensor;
  // A scalar (one value) or a vector, of any numeric dtype: values are converted as a cast from i64 would.
  static Result<OperatorPtr> make(std::vector<Dim> values, bool scalar, DType dtype = DType::i64);

  OpKind kind() const noexcept override { return kKind; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  std::span<const Dim> dim_attributes() const noexcept override { return values_; }
  OperatorPtr with_dim_attributes(std::span<const Dim> dims) const override;
  void attributes(AttributeSink& sink) const override;

  bool is_scalar() const noexcept { return scalar_; }
  DType dtype() const noexcept { return dtype_; }

 private:
  ShapeTensor() = default;
  std::vector<Dim> values_;
  bool scalar_ = false;
  DType dtype_ = DType::i64;
};

}  // namespace anydim
