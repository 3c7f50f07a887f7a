// SPDX-License-Identifier: Apache-2.0
// The typed rows, portable.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/kernels/eltwise/lanes.h"
#include "core/kernels/eltwise/typed_rows.h"

namespace anydim {
namespace {
namespace vectors {
#include "core/kernels/simd/portable.h"
}  // namespace vectors
using vectors::F32;
#include "core/kernels/simd/doubles.h"

#include "core/kernels/simd/fused_doubles.h"

#include "core/kernels/eltwise/doubles.inl.h"
#include "core/kernels/eltwise/scalar.inl.h"
#include "core/kernels/eltwise/short_rows.inl.h"
inline const LaneFunctions& lane_functions() { return kLaneFunctionsPortable; }
#include "core/kernels/eltwise/typed_rows.inl.h"
}  // namespace

constinit const TypedRows kTypedRowsPortable = {typed_unary,
                                                typed_binary,
                                                typed_cast,
                                                typed_where,
                                                turned_row,
                                                small_division_row<int64_t, BinaryFunction::div>,
                                                small_division_row<int64_t, BinaryFunction::mod_trunc>};

}  // namespace anydim
