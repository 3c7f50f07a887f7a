// SPDX-License-Identifier: Apache-2.0
// Operators' structs of the C API from dicts, such as {"op": "softmax", "axis": 1}. Which attributes there are is generated.
#pragma once

#include <vector>

#include "bindings/python/module_support.h"

namespace anydim_python {

struct StructField {
  enum Type : uint8_t { int32, int64, real, wide, dims, reals, numbers };
  const char* name;
  uint16_t offset;
  Type type;
  uint8_t count;  // entries of an array; 1: a single one
};

struct StructLayout {
  const char* name;
  const anydim_op_t* init;  // its _INIT value
  const StructField* fields;
  size_t field_count;
};

extern const size_t kStructCount;
extern const StructLayout kStructs[];

class OperatorStruct {
 public:
  // Raises an error for a dict with keys that are no attribute, or of the wrong type.
  explicit OperatorStruct(const py::dict& dict);
  OperatorStruct(const OperatorStruct&) = delete;
  const anydim_op_t* op() const noexcept { return reinterpret_cast<const anydim_op_t*>(bytes_); }

 private:
  void fill(const py::dict& dict, const StructField& field, size_t* used);
  alignas(8) char bytes_[512];
  std::vector<int64_t> numbers_;  // what a struct points to
};

}  // namespace anydim_python
