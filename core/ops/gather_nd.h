// SPDX-License-Identifier: Apache-2.0
// GatherND: the last axis of the indices (input 1) holds coordinates of slices of the data (input 0). The first
// batch_dims axes of both go together.
#pragma once

#include "core/ops/op.h"

namespace anydim {

class GatherNd final : public Operator {
 public:
  static constexpr OpKind kKind = OpKind::gather_nd;
  static Result<OperatorPtr> make(int batch_dims);

  OpKind kind() const noexcept override { return kKind; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  void attributes(AttributeSink& sink) const override;

  int batch_dims() const noexcept { return batch_dims_; }

 private:
  explicit GatherNd(int batch_dims) : batch_dims_(batch_dims) {}
  int batch_dims_;
};

}  // namespace anydim
