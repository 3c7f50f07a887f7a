// SPDX-License-Identifier: Apache-2.0
// Lines of Fold, avx2.
#include "core/kernels/detect/fold_lines.inl.h"

namespace anydim {

void AddFoldLines::avx2(const FoldLines& lines) noexcept { avx2::add_fold_lines(lines); }

}  // namespace anydim
