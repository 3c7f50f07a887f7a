// SPDX-License-Identifier: Apache-2.0
// Dft: the discrete Fourier transform along an axis, of real or complex numbers (the last axis holds 1 or 2), forwards or inverse.
// docs/numerics.md, section 10, has the order of its sums.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class Dft final : public Described<Dft, DftAttributes> {
 public:
  using Described::Described;
  using Described::make;
  static Status normalize(Attributes* a);
  Work work(std::span<const Dims> in, std::span<const Dims> out) const noexcept override;
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
};

}  // namespace anydim
