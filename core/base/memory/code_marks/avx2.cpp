// SPDX-License-Identifier: Apache-2.0
// Where kernels for avx2 begin in the library; see code_pages.cpp. CMakeLists.txt puts this file there.
#include "core/base/memory/code_marks/marks.h"

namespace anydim {

void code_mark_avx2() noexcept {}

}  // namespace anydim
