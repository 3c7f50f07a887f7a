// SPDX-License-Identifier: Apache-2.0
// Where kernels for portable begin in the library; see code_pages.cpp. CMakeLists.txt puts this file there.
#include "core/base/memory/code_marks/marks.h"

namespace anydim {

void code_mark_portable() noexcept {}

}  // namespace anydim
