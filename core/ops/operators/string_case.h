// SPDX-License-Identifier: Apache-2.0
// StringCase: strings in lower or upper case, in a heap of their own, whose size is an attribute.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class StringCase final : public Described<StringCase, StringCaseAttributes> {
 public:
  using Described::Described;
  enum Input { kX, kHeap };
  int output_count() const noexcept override { return 2; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  ValueRange sensible_values(std::span<const Dims> in, size_t input) const noexcept override;
};

}  // namespace anydim
