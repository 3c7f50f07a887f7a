// SPDX-License-Identifier: Apache-2.0
// Conversions of quantized numbers, avx2.
#include <immintrin.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/kernels/quantized/convert_rows.h"

#ifndef __AVX2__
#error "plain loops, which only the options of the instruction set make vectors of"
#endif

namespace anydim {
namespace {
#include "core/kernels/simd/bytes_avx2.inl.h"
// After the vectors.
#include "core/kernels/quantized/convert_rows.inl.h"
#include "core/kernels/quantized/combine_rows.inl.h"
#include "core/kernels/quantized/look_up_rows.inl.h"
#include "core/kernels/quantized/range_rows.inl.h"
}  // namespace

constinit const ConvertFunctions kConvertAvx2 = converts;
constinit const CombineFunctions kCombineAvx2 = combines;
constinit const LookUpFunction kLookUpAvx2 = look_up_row;
constinit const RangeFunction kRangeAvx2 = range_of_rows;

}  // namespace anydim
