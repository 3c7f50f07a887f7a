// SPDX-License-Identifier: Apache-2.0
// The typed rows, avx512.
#include <immintrin.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/kernels/eltwise/lanes.h"
#include "core/kernels/eltwise/typed_rows.h"

namespace anydim {
namespace {
#include "core/kernels/simd/avx512.h"
#include "core/kernels/simd/doubles.h"

#include "core/kernels/simd/fused_doubles.h"

#include "core/kernels/eltwise/doubles.inl.h"
#include "core/kernels/eltwise/scalar.inl.h"
#include "core/kernels/eltwise/short_rows.inl.h"
inline const LaneFunctions& lane_functions() { return kLaneFunctionsAvx512; }
#include "core/kernels/eltwise/typed_rows.inl.h"
}  // namespace

constinit const TypedRows kTypedRowsAvx512 = {typed_unary,
                                              typed_binary,
                                              typed_cast,
                                              typed_where,
                                              turned_row,
                                              small_division_row<int64_t, BinaryFunction::div>,
                                              small_division_row<int64_t, BinaryFunction::mod_trunc>};

}  // namespace anydim
