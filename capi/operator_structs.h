// SPDX-License-Identifier: Apache-2.0
// Where attributes lie in the C API's structs of operators (generated tables), and operators as such structs.
#pragma once

#include <cstdint>
#include <vector>

#include "anydim/anydim.h"
#include "core/ops/op.h"

namespace anydim::capi {

struct OperatorStruct {
  uint16_t size;
  uint16_t first;  // in kStructOffsets, one for each of attributes_of(kind)
};

extern const uint16_t kStructOffsets[];
extern const OperatorStruct kOperatorStructs[];  // from kind 1 on

// An operator of the core as the C API's struct, for a program that computes it. Attributes that only a run knows are 0.
class OperatorCopy {
 public:
  explicit OperatorCopy(const Operator& op);
  const anydim_op_t* get() const noexcept { return reinterpret_cast<const anydim_op_t*>(struct_.data()); }

 private:
  std::vector<int64_t> struct_;
  std::vector<std::vector<int64_t>> lists_;  // that the struct points to
};

}  // namespace anydim::capi
