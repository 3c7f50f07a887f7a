// SPDX-License-Identifier: Apache-2.0
// Pooling in plain C++: the body is pool.inl.h.
#include <cmath>

#include <cstdint>

#include "core/kernels/pool/pool_job.h"

namespace anydim {
namespace {
#include "core/kernels/simd/portable.h"
// The vector type first.
#include "core/kernels/pool/pool.inl.h"
}  // namespace

void pool_task_portable(const PoolJob& job, int64_t task) noexcept { pool_task(job, task); }

}  // namespace anydim
