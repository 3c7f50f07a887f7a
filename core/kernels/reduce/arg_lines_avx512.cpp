// SPDX-License-Identifier: Apache-2.0
// The place of the largest or smallest element, avx512.
#include "core/kernels/reduce/arg_lines.inl.h"

namespace anydim {

void ArgOfStrip::avx512(const ArgStrip& strip) noexcept { avx512::arg_strip(strip); }

}  // namespace anydim
