// SPDX-License-Identifier: Apache-2.0
// Rows of doubles, avx2.
#include <immintrin.h>

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "core/kernels/doubles/rows.h"

namespace anydim {

namespace {
#include "core/kernels/simd/doubles.h"

#include "core/kernels/simd/fused_doubles.h"

#include "core/kernels/eltwise/doubles.inl.h"

#include "core/kernels/doubles/rows.inl.h"
}  // namespace

constinit const DoubleRows kDoubleRowsAvx2 = {double_tile,     double_part,     double_chains,     exp_less_doubles,
                                              softmax_doubles, most_of_doubles, layer_norm_doubles};

}  // namespace anydim
