// SPDX-License-Identifier: Apache-2.0
// The functions that compute in binary64, avx512.
#include <immintrin.h>

#include <cstdint>

#include "core/kernels/eltwise/functions.h"
#include "core/kernels/eltwise/lanes.h"

namespace anydim {
namespace {
#include "core/kernels/simd/doubles.h"

#include "core/kernels/simd/fused_doubles.h"

#include "core/kernels/eltwise/power.inl.h"

#include "core/kernels/eltwise/angles.inl.h"

#include "core/kernels/eltwise/cores64.inl.h"
}  // namespace

constinit const LaneFunctions kLaneFunctionsAvx512 = {power_lanes, modulo_lanes,  function_lanes, core_row,
                                                      power_row,   mod_floor_row, mod_trunc_row,  log_row};

}  // namespace anydim
