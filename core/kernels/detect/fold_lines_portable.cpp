// SPDX-License-Identifier: Apache-2.0
// Lines of Fold, portable.
#include <cmath>
#include <cstdint>

#include "core/kernels/detect/fold_lines.h"

namespace anydim {

namespace {
#include "core/kernels/simd/portable.h"
// The vector type first.
#include "core/kernels/detect/fold_lines.inl.h"
}  // namespace

void add_fold_lines_portable(const FoldLines& lines) noexcept { add_fold_lines(lines); }

}  // namespace anydim
