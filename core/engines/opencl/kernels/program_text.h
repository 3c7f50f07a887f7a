// SPDX-License-Identifier: Apache-2.0
// How the text of an OpenCL program is put together: definitions, then the pieces in source/*.cl, which CMake puts into the library.
#pragma once

#include <string>
#include <string_view>

#include "core/kernels/device_kernel.h"

namespace anydim::opencl {

// A file of source/ by its name without ".cl".
std::string_view source_file(std::string_view name) noexcept;

class ProgramText {
 public:
  // The beginning of every program: W lanes, the local size, ROWS axes of rows, the functions that the key's post-ops and those that
  // `needs_doubles` names need, and the post-ops as macros:
  //   POST_PARAMS           their parameters, behind those of the entry
  //   POST_ROW              where their tensors' rows i0, i1, ... begin
  //   POST(v, column, n)    v after them, its n lanes at columns from `column` on
  ProgramText(const CompileKey& key, int width, int local_x, int local_y, int rows, bool needs_doubles = false);

  ProgramText& define(std::string_view name, std::string_view value = "");
  ProgramText& define(std::string_view name, int64_t value);
  ProgramText& undefine(std::string_view name);
  ProgramText& add(std::string_view file);
  DeviceSource source(std::vector<std::string> entries);
  // Of entries whose group's memory is of that many numbers of 16 bytes, a definition of the text.
  DeviceSource source_with_memory(std::vector<std::string> entries, std::string_view sixteens);

 private:
  std::string text_;
};

// Functions that are computed in binary64.
bool needs_doubles(UnaryFunction f) noexcept;
bool needs_doubles(BinaryFunction f) noexcept;
// "u_relu", "b_add": what the function is called in a program.
std::string unary_call(UnaryFunction f);
std::string binary_call(BinaryFunction f);

}  // namespace anydim::opencl
