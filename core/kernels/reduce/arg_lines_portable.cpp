// SPDX-License-Identifier: Apache-2.0
// The place of the largest or smallest element, portable.
#include "core/kernels/reduce/arg_lines.inl.h"

namespace anydim {

void ArgOfStrip::portable(const ArgStrip& strip) noexcept { portable::arg_strip(strip); }

}  // namespace anydim
