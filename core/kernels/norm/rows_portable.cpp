// SPDX-License-Identifier: Apache-2.0
// Softmax and layer norm on f32, portable.
#include <cmath>

#include <cstdint>

#include "core/kernels/eltwise/functions.h"
#include "core/kernels/norm/rows.h"

namespace anydim {
namespace {
#include "core/kernels/simd/portable.h"
#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/reduce/lanes.inl.h"
#include "core/kernels/norm/rows.inl.h"

void softmax(const SoftmaxStrip& strip) noexcept { run_softmax(strip); }
void layer_norm(const LayerNormRow& row) noexcept { run_layer_norm(row); }
void layer_norm_across(const LayerNormStrip& strip) noexcept { run_layer_norm_across(strip); }
void lane_sums(const LaneSums& strip) noexcept { run_lane_sums(strip); }
void close_block(float* sums, int64_t width, bool first_block, float* total) noexcept { run_close_block(sums, width, first_block, total); }
void to_mean(float* total, int64_t width, int64_t count) noexcept { run_to_mean(total, width, count); }
void to_rstd(float* total, int64_t width, int64_t count, float epsilon) noexcept { run_to_rstd(total, width, count, epsilon); }
}  // namespace

constinit const NormFunctions kNormPortable = {softmax, layer_norm, layer_norm_across, lane_sums, close_block, to_mean, to_rstd};

}  // namespace anydim
