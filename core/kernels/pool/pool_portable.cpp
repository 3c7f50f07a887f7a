// SPDX-License-Identifier: Apache-2.0
// Pooling in plain C++: the body is pool.inl.h.
#include "core/kernels/pool/pool.inl.h"

namespace anydim {

void PoolTask::portable(const PoolJob& job, int64_t task) noexcept { portable::pool_task(job, task); }

}  // namespace anydim
