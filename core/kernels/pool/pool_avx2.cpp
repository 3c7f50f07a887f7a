// SPDX-License-Identifier: Apache-2.0
// Pooling with AVX2: the body is pool.inl.h.
#include "core/kernels/pool/pool.inl.h"

namespace anydim {

void PoolTask::avx2(const PoolJob& job, int64_t task) noexcept { avx2::pool_task(job, task); }

}  // namespace anydim
