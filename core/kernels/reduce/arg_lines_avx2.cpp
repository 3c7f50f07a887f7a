// SPDX-License-Identifier: Apache-2.0
// The place of the largest or smallest element, avx2.
#include <immintrin.h>

#include <cstdint>
#include <type_traits>

#include "core/kernels/reduce/arg_lines.h"

namespace anydim {
namespace {
#include "core/kernels/simd/avx2.h"
#include "core/kernels/reduce/arg_lines.inl.h"
}  // namespace

void arg_strip_avx2(const ArgStrip& strip) noexcept { arg_strip(strip); }

}  // namespace anydim
