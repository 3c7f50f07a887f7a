// SPDX-License-Identifier: Apache-2.0
// Pooling with AVX-512: the body is pool.inl.h.
#include <immintrin.h>

#include <cstdint>

#include "core/kernels/pool/pool_job.h"

namespace anydim {
namespace {
#include "core/kernels/simd/avx512.h"
// The vector type first.
#include "core/kernels/pool/pool.inl.h"
}  // namespace

void pool_task_avx512(const PoolJob& job, int64_t task) noexcept { pool_task(job, task); }

}  // namespace anydim
