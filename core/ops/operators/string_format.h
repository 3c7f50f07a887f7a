// SPDX-License-Identifier: Apache-2.0
// StringFormat: numbers as strings.
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class StringFormat final : public Described<StringFormat, StringFormatAttributes> {
 public:
  using Described::Described;
  int output_count() const noexcept override { return 2; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
};

}  // namespace anydim
