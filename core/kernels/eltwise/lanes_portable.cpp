// SPDX-License-Identifier: Apache-2.0
// The functions that compute in binary64, portable. Cores of two lanes are no faster than the plain functions.
#include "core/kernels/eltwise/angles.inl.h"

namespace anydim {
namespace portable {
namespace {

void function_lanes(UnaryFunction f, float* a, int n) noexcept {
  if (has_angle_lanes(f)) return angle_lanes(f, a, n);
  for (int i = 0; i < n; ++i) a[i] = rare_function(f, a[i]);
}
TypedRowFunction core_row(UnaryFunction) noexcept { return nullptr; }

}  // namespace
}  // namespace portable

constinit const LaneFunctions LaneFunctions::portable = {portable::power_lanes,   portable::modulo_lanes, portable::function_lanes,
                                                         portable::core_row,      portable::power_row,    portable::mod_floor_row,
                                                         portable::mod_trunc_row, portable::log_row};

}  // namespace anydim
