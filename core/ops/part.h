// SPDX-License-Identifier: Apache-2.0
// Several operators that an engine computes as one (core/graph/passes/claims.h): an operator whose shape rule is that of its members, one
// after the other. Constants that members read are the part's own. It is in no table of operators: no text, key or file has it.
#pragma once

#include <utility>
#include <vector>

#include "core/ops/op.h"

namespace anydim {

// Behind all operators: without attributes and traits.
constexpr OpKind kPart = OpKind::count_;

class Part final : public Operator {
 public:
  static constexpr OpKind kKind = kPart;

  // Values by their number within the part; -1: an optional input that is absent.
  struct Member {
    OperatorPtr op;
    std::vector<int32_t> in, out;
  };
  // Types of constants; of all other values none.
  Part(std::vector<Member> members, std::vector<TensorType> values, std::vector<int32_t> inputs, std::vector<int32_t> outputs)
      : members_(std::move(members)), values_(std::move(values)), inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}

  OpKind kind() const noexcept override { return kKind; }
  int output_count() const noexcept override { return static_cast<int>(outputs_.size()); }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  std::span<const Dim> dim_attributes() const noexcept override { return {}; }
  OperatorPtr with_dim_attributes(std::span<const Dim>) const override { return nullptr; }
  const void* attribute_data() const noexcept override { return nullptr; }

 private:
  const std::vector<Member> members_;
  const std::vector<TensorType> values_;
  const std::vector<int32_t> inputs_, outputs_;
};

}  // namespace anydim
