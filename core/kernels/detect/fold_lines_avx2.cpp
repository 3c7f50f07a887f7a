// SPDX-License-Identifier: Apache-2.0
// Lines of Fold, avx2.
#include <immintrin.h>

#include <cstdint>

#include "core/kernels/detect/fold_lines.h"

namespace anydim {

namespace {
#include "core/kernels/simd/avx2.h"
// The vector type first.
#include "core/kernels/detect/fold_lines.inl.h"
}  // namespace

void add_fold_lines_avx2(const FoldLines& lines) noexcept { add_fold_lines(lines); }

}  // namespace anydim
