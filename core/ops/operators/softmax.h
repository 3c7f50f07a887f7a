// SPDX-License-Identifier: Apache-2.0
// Softmax and log-softmax over one axis. (ONNX before opset 13 flattens first; that is the importer's business.)
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class Softmax final : public Described<Softmax, SoftmaxAttributes> {
 public:
  using Described::Described;
  using Described::make;
  static Result<OperatorPtr> make(int64_t axis, bool log) { return make(Attributes{axis, log}); }

  int64_t axis() const noexcept { return at_.axis; }  // as given, may be negative
  bool log() const noexcept { return at_.log; }

  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
};

}  // namespace anydim
