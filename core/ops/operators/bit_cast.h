// SPDX-License-Identifier: Apache-2.0
// BitCast: the same bits as elements of another dtype of the same size.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class BitCast final : public Described<BitCast, BitCastAttributes> {
 public:
  using Described::Described;
  using Described::make;
  static Result<OperatorPtr> make(DType to) { return make(Attributes{to}); }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
};

}  // namespace anydim
