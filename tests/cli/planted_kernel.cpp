// SPDX-License-Identifier: Apache-2.0
// A wrong kernel for the test of `anydim compare`: the module capi_planted is _capi with this function linked in the place of the one that
// the kernel pool.channels.avx2 calls (the linker's --wrap). Nothing that ships contains it, and no option of a library enables it.
#include "core/kernels/pool/pool_job.h"

using anydim::PoolJob;

extern "C" {
void right_pool_task(const PoolJob& job, int64_t task) noexcept __asm__("__real__ZN6anydim14pool_task_avx2ERKNS_7PoolJobEl");
void wrong_pool_task(const PoolJob& job, int64_t task) noexcept __asm__("__wrap__ZN6anydim14pool_task_avx2ERKNS_7PoolJobEl");

// One element of the result is wrong.
void wrong_pool_task(const PoolJob& job, int64_t task) noexcept {
  right_pool_task(job, task);
  if (task == 0) job.dst[0] += 1.f;
}
}
