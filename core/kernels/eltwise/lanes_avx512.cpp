// SPDX-License-Identifier: Apache-2.0
// The functions that compute in binary64, avx512.
#include "core/kernels/eltwise/cores64.inl.h"

namespace anydim {

constinit const LaneFunctions LaneFunctions::avx512 = {avx512::power_lanes, avx512::modulo_lanes,  avx512::function_lanes, avx512::core_row,
                                                       avx512::power_row,   avx512::mod_floor_row, avx512::mod_trunc_row,  avx512::log_row};

}  // namespace anydim
