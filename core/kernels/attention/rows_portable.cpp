// SPDX-License-Identifier: Apache-2.0
// Attention on f32, portable.
#include <cmath>

#include <cstdint>

#include "core/kernels/attention/job.h"
#include "core/kernels/eltwise/functions.h"
#include "core/kernels/reduce/axes.h"

namespace anydim {
namespace {
#include "core/kernels/simd/portable.h"
#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/reduce/lanes.inl.h"
#include "core/kernels/attention/rows.inl.h"

void run(const AttentionJob& job) noexcept { run_attention(job); }
}  // namespace

constinit const AttentionFunctions kAttentionPortable = {"portable", kPanel, run};

}  // namespace anydim
