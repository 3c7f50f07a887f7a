// SPDX-License-Identifier: Apache-2.0
// Linear and cubic resize with AVX-512: the body is lines.inl.h.
#include "core/kernels/resize/lines.inl.h"

namespace anydim {

constinit const ResizeFunctions ResizeFunctions::avx512 = avx512::kResizeFunctions;

}  // namespace anydim
