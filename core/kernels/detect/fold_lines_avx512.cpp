// SPDX-License-Identifier: Apache-2.0
// Lines of Fold, avx512.
#include "core/kernels/detect/fold_lines.inl.h"

namespace anydim {

void AddFoldLines::avx512(const FoldLines& lines) noexcept { avx512::add_fold_lines(lines); }

}  // namespace anydim
