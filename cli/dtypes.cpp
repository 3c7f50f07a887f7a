// SPDX-License-Identifier: Apache-2.0
// Names and sizes of element types, for the commands; see client.h.
#include <iterator>

#include "cli/client.h"

namespace anydim_cli {

const char* dtype_name(anydim_dtype_t dtype) {
  constexpr const char* names[] = {"none",   "f32",        "f64",    "f16",    "bf16", "i8",   "u8",       "i16",
                                   "u16",    "i32",        "u32",    "i64",    "u64",  "bool", "f8e4m3fn", "f8e4m3fnuz",
                                   "f8e5m2", "f8e5m2fnuz", "f8e8m0", "f4e2m1", "i4",   "u4",   "i2",       "u2"};
  return dtype > 0 && dtype < static_cast<int>(std::size(names)) ? names[dtype] : "none";
}

int64_t dtype_size(anydim_dtype_t dtype) {
  constexpr int64_t sizes[] = {0, 4, 8, 2, 2, 1, 1, 2, 2, 4, 4, 8, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  return dtype > 0 && dtype < static_cast<int>(std::size(sizes)) ? sizes[dtype] : 0;
}

}  // namespace anydim_cli
