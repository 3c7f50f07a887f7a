// SPDX-License-Identifier: Apache-2.0
// DepthToSpace and its inverse: blocks of channels laid out as squares of pixels. Input N, C, H, W.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class DepthToSpace final : public Described<DepthToSpace, DepthToSpaceAttributes> {
 public:
  using Described::Described;
  using Order = DepthToSpaceOrder;
  using Described::make;
  // inverse: SpaceToDepth (depth_first only, as ONNX has it).
  static Result<OperatorPtr> make(int64_t block, Order order, bool inverse = false) { return make(Attributes{block, order, inverse}); }
  static Status normalize(Attributes* a);

  int64_t block() const noexcept { return at_.block; }
  Order order() const noexcept { return at_.order; }
  bool inverse() const noexcept { return at_.inverse; }

  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
};

}  // namespace anydim
