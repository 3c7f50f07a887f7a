// SPDX-License-Identifier: Apache-2.0
// Linear and cubic resize with AVX2: the body is lines.inl.h.
#include "core/kernels/resize/lines.inl.h"

namespace anydim {

constinit const ResizeFunctions ResizeFunctions::avx2 = avx2::kResizeFunctions;

}  // namespace anydim
