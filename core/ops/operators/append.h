// SPDX-License-Identifier: Apache-2.0
// Append: a cache (input 0) in which an update (input 1) is stored along an axis, behind what is old or where starts (input 2, optional)
// say. The result may lie in the cache's own memory, which the program asks for (Program::IoSpec::cache). A windowed one drops its oldest
// slices (input 3: how many) to hold the newest ones, and its second result is all that was there before.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class Append final : public Described<Append, AppendAttributes> {
 public:
  using Described::Described;
  using Described::make;
  enum Input : uint8_t { kCache, kUpdate, kStarts, kEvicted, kInputs };
  int output_count() const noexcept override { return at_.windowed ? 2 : 1; }
  static Result<OperatorPtr> make(int axis, Dim first, Dim length, bool circular = false) {
    return make(Attributes{axis, first, length, circular, false});
  }

  int axis() const noexcept { return static_cast<int>(at_.axis); }

  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  ValueRange sensible_values(std::span<const Dims> in, size_t input) const noexcept override;
};

}  // namespace anydim
