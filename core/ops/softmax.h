// SPDX-License-Identifier: Apache-2.0
// Softmax and log-softmax over one axis. (ONNX before opset 13 flattens first; that is the importer's business.)
#pragma once

#include "core/ops/op.h"

namespace anydim {

class Softmax final : public Operator {
 public:
  static constexpr OpKind kKind = OpKind::softmax;
  static Result<OperatorPtr> make(int64_t axis, bool log);

  int64_t axis() const noexcept { return axis_; }  // as given, may be negative
  bool log() const noexcept { return log_; }

  OpKind kind() const noexcept override { return kKind; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  void attributes(AttributeSink& sink) const override;

 private:
  int64_t axis_ = -1;
  bool log_ = false;
};

}  // namespace anydim
