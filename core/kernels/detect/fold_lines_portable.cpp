// SPDX-License-Identifier: Apache-2.0
// Lines of Fold, portable.
#include "core/kernels/detect/fold_lines.inl.h"

namespace anydim {

void AddFoldLines::portable(const FoldLines& lines) noexcept { portable::add_fold_lines(lines); }

}  // namespace anydim
