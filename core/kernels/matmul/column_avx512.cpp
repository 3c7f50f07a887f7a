// SPDX-License-Identifier: Apache-2.0
// A matrix times one column with AVX-512: the body is column.inl.h.
#include "core/kernels/matmul/column.inl.h"

namespace anydim {

void ColumnProduct::avx512(const ColumnJob& job) noexcept { avx512::column_product(job); }

}  // namespace anydim
