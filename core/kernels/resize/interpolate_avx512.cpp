// SPDX-License-Identifier: Apache-2.0
// Linear and cubic resize with AVX-512: the body is interpolate.inl.h.
#include <immintrin.h>

#include <cstdint>

#include "core/kernels/resize/resize_job.h"

namespace anydim {
namespace {
#include "core/kernels/simd/avx512.h"
// The vector type first.
#include "core/kernels/resize/interpolate.inl.h"
}  // namespace

void resize_task_avx512(const ResizeJob& job, int64_t task) noexcept { resize_task(job, task); }
void resize_plane_avx512(const ResizeJob& job, int64_t plane, int64_t begin, int64_t end, float* lines) noexcept {
  resize_plane(job, plane, begin, end, lines);
}

}  // namespace anydim
