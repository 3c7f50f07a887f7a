// SPDX-License-Identifier: Apache-2.0
// Conversions of quantized numbers, avx512.
// GCC 12 takes the deliberately undefined operands inside its own intrinsics for a mistake (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/kernels/quantized/convert_rows.h"

#ifndef __AVX512F__
#error "plain loops, which only the options of the instruction set make vectors of"
#endif

namespace anydim {
namespace {
#include "core/kernels/simd/bytes_avx2.inl.h"
#include "core/kernels/simd/bytes_avx512.inl.h"
// After the vectors.
#include "core/kernels/quantized/convert_rows.inl.h"
#include "core/kernels/quantized/combine_rows.inl.h"
#include "core/kernels/quantized/range_rows.inl.h"
}  // namespace

constinit const ConvertFunctions kConvertAvx512 = converts;
constinit const CombineFunctions kCombineAvx512 = combines;
constinit const RangeFunction kRangeAvx512 = range_of_rows;

}  // namespace anydim
