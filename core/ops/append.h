// SPDX-License-Identifier: Apache-2.0
// Append: a cache (input 0) in which an update (input 1) is stored along an axis, behind what is old or where starts (input 2, optional)
// say. The result may lie in the cache's own memory, which the program asks for (Program::IoSpec::cache).
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class Append final : public Described<Append, AppendAttributes> {
 public:
  using Described::Described;
  using Described::make;
  enum Input : uint8_t { kCache, kUpdate, kStarts, kInputs };
  static Result<OperatorPtr> make(int axis, Dim first, Dim length, bool circular = false) {
    return make(Attributes{axis, first, length, circular});
  }

  int axis() const noexcept { return static_cast<int>(at_.axis); }

  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  ValueRange sensible_values(std::span<const Dims> in, size_t input) const noexcept override;
};

}  // namespace anydim
