// SPDX-License-Identifier: Apache-2.0
// The place of the largest or smallest element, avx2.
#include "core/kernels/reduce/arg_lines.inl.h"

namespace anydim {

void ArgOfStrip::avx2(const ArgStrip& strip) noexcept { avx2::arg_strip(strip); }

}  // namespace anydim
