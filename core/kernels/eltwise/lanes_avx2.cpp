// SPDX-License-Identifier: Apache-2.0
// The functions that compute in binary64, avx2.
#include "core/kernels/eltwise/cores64.inl.h"

namespace anydim {

constinit const LaneFunctions LaneFunctions::avx2 = {avx2::power_lanes, avx2::modulo_lanes,  avx2::function_lanes, avx2::core_row,
                                                     avx2::power_row,   avx2::mod_floor_row, avx2::mod_trunc_row,  avx2::log_row};

}  // namespace anydim
