// SPDX-License-Identifier: Apache-2.0
// Where kernels of an instruction set end in the library; see code_pages.cpp. CMakeLists.txt puts this file there.
#include "core/base/code_marks/marks.h"

namespace anydim {

void code_mark_end() noexcept {}

}  // namespace anydim
