// SPDX-License-Identifier: Apache-2.0
// RandomUniform: random numbers from 0 to 1 by a counter, so that each follows from seed, stream and its index alone (Philox;
// docs/numerics.md, section 10). No inputs.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class RandomUniform final : public Described<RandomUniform, RandomUniformAttributes> {
 public:
  using Described::Described;
  static Status normalize(Attributes* a);
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
};

}  // namespace anydim
