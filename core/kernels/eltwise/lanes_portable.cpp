// SPDX-License-Identifier: Apache-2.0
// The functions that compute in binary64, portable.
#include <cmath>

#include <cstdint>

#include "core/kernels/eltwise/functions.h"
#include "core/kernels/eltwise/lanes.h"

namespace anydim {
namespace {
#include "core/kernels/simd/doubles.h"

#include "core/kernels/simd/fused_doubles.h"

#include "core/kernels/eltwise/power.inl.h"

#include "core/kernels/eltwise/angles.inl.h"

// Cores of two lanes are no faster than the plain functions.
inline void function_lanes(UnaryFunction f, float* a, int n) noexcept {
  if (has_angle_lanes(f)) return angle_lanes(f, a, n);
  for (int i = 0; i < n; ++i) a[i] = rare_function(f, a[i]);
}
inline TypedRowFunction core_row(UnaryFunction) noexcept { return nullptr; }
}  // namespace

constinit const LaneFunctions kLaneFunctionsPortable = {power_lanes, modulo_lanes,  function_lanes, core_row,
                                                        power_row,   mod_floor_row, mod_trunc_row,  log_row};

}  // namespace anydim
