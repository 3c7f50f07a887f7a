// SPDX-License-Identifier: Apache-2.0
// Pooling with AVX-512: the body is pool.inl.h.
#include "core/kernels/pool/pool.inl.h"

namespace anydim {

void PoolTask::avx512(const PoolJob& job, int64_t task) noexcept { avx512::pool_task(job, task); }

}  // namespace anydim
