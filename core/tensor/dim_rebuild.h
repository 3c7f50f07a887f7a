// SPDX-License-Identifier: Apache-2.0
// Making expressions of dims again: in another pool, or with all that has been assumed since.
#pragma once

#include <unordered_map>

#include "core/tensor/dim.h"

namespace anydim {

// The expression `op` of these operands; no symbol.
Dim rebuild(DimPool& pool, DimOp op, Dim a, Dim b, Dim c);

// Expressions as the pool would make them now. DimPool::simplify looks at the terms of a sum only, this also at the operands of
// quotients, minima and conditions.
class Rebuilding {
 public:
  explicit Rebuilding(DimPool& pool) : pool_(pool) {}
  Dim operator()(Dim d);

 private:
  DimPool& pool_;
  std::unordered_map<int32_t, Dim> made_;
};

}  // namespace anydim
