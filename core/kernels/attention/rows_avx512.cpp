// SPDX-License-Identifier: Apache-2.0
// Attention on f32, avx512.
#include <immintrin.h>

#include <cstdint>

#include "core/kernels/attention/job.h"
#include "core/kernels/eltwise/functions.h"
#include "core/kernels/reduce/axes.h"

namespace anydim {
namespace {
#include "core/kernels/simd/avx512.h"
#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/reduce/lanes.inl.h"
#include "core/kernels/attention/rows.inl.h"

void run(const AttentionJob& job) noexcept { run_attention(job); }
}  // namespace

constinit const AttentionFunctions kAttentionAvx512 = {"avx512", kPanel, run};

}  // namespace anydim
