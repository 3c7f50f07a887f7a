// SPDX-License-Identifier: Apache-2.0
// StringParse: the numbers that strings spell, of any dtype that numbers are computed in but 16-bit floats.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class StringParse final : public Described<StringParse, StringParseAttributes> {
 public:
  using Described::Described;
  enum Input { kX, kHeap };
  static Status normalize(Attributes* a);
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  ValueRange sensible_values(std::span<const Dims> in, size_t input) const noexcept override;
};

}  // namespace anydim
