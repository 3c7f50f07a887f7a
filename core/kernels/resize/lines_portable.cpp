// SPDX-License-Identifier: Apache-2.0
// Linear and cubic resize in plain C++: the body is lines.inl.h.
#include "core/kernels/resize/lines.inl.h"

namespace anydim {

constinit const ResizeFunctions ResizeFunctions::portable = portable::kResizeFunctions;

}  // namespace anydim
