// SPDX-License-Identifier: Apache-2.0
// numpy's .npy files, as numpy's own description of the format has them: versions 1 to 3, C order, little endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "anydim/anydim.h"

namespace anydim_cli {

struct NpyArray {
  anydim_dtype_t dtype = 0;
  std::vector<int64_t> dims;
  std::vector<std::byte> memory;
};
// Failures begin with `what`.
NpyArray read_npy(const std::string& path, const std::string& what);
void write_npy(const std::string& path, const anydim_view_t& tensor);

}  // namespace anydim_cli
