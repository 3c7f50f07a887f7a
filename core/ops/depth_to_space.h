// SPDX-License-Identifier: Apache-2.0
// DepthToSpace and its inverse: blocks of channels laid out as squares of pixels. Input N, C, H, W.
#pragma once

#include "core/ops/op.h"

namespace anydim {

class DepthToSpace final : public Operator {
 public:
  static constexpr OpKind kKind = OpKind::depth_to_space;
  enum class Order : uint8_t {
    depth_first,   // ONNX DCR: channel = (block row, block column, depth)
    column_first,  // ONNX CRD: channel = (depth, block row, block column)
  };
  // inverse: SpaceToDepth (depth_first only, as ONNX has it).
  static Result<OperatorPtr> make(int64_t block, Order order, bool inverse = false);

  OpKind kind() const noexcept override { return kKind; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  void attributes(AttributeSink& sink) const override;

  int64_t block() const noexcept { return block_; }
  Order order() const noexcept { return order_; }
  bool inverse() const noexcept { return inverse_; }

 private:
  DepthToSpace(int64_t block, Order order, bool inverse) : block_(block), order_(order), inverse_(inverse) {}
  int64_t block_;
  Order order_;
  bool inverse_;
};

}  // namespace anydim
