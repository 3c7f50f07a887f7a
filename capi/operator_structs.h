// SPDX-License-Identifier: Apache-2.0
// The generated tables of where attributes lie in the C API's structs of operators, for operators.cpp.
#pragma once

#include <cstdint>

namespace anydim::capi {

struct OperatorStruct {
  uint16_t size;
  uint16_t first;  // in kStructOffsets, one for each of attributes_of(kind)
};

extern const uint16_t kStructOffsets[];
extern const OperatorStruct kOperatorStructs[];  // from kind 1 on

}  // namespace anydim::capi
