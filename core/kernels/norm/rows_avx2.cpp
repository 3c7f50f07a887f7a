// SPDX-License-Identifier: Apache-2.0
// Softmax and layer norm on f32, avx2.
#include <immintrin.h>

#include <cstdint>

#include "core/kernels/eltwise/functions.h"
#include "core/kernels/norm/rows.h"

namespace anydim {
namespace {
#include "core/kernels/simd/avx2.h"
#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/reduce/lanes.inl.h"
#include "core/kernels/norm/rows.inl.h"

void softmax(const SoftmaxStrip& strip) noexcept { run_softmax(strip); }
void layer_norm(const LayerNormRow& row) noexcept { run_layer_norm(row); }
void layer_norm_across(const LayerNormStrip& strip) noexcept { run_layer_norm_across(strip); }
}  // namespace

constinit const NormFunctions kNormAvx2 = {softmax, layer_norm, layer_norm_across};

}  // namespace anydim
