// SPDX-License-Identifier: Apache-2.0
// Conversions of quantized values, avx512.
#ifndef __AVX512F__
#error "plain loops, which only the options of the instruction set make vectors of"
#endif
#include "core/kernels/quantized/vectors_avx512.inl.h"
// What is made of vectors stands before the loops.
#include "core/kernels/quantized/combine_rows.inl.h"
#include "core/kernels/quantized/convert_rows.inl.h"
#include "core/kernels/quantized/range_rows.inl.h"

namespace anydim {

ConvertFunction ConvertFunctions::avx512(DType from, DType to) noexcept { return avx512::converts(from, to); }
CombineFunction CombineFunctions::avx512(BinaryFunction f) noexcept { return avx512::combines(f); }
Extremes RangeOfRows::avx512(const RangeJob& job) noexcept { return avx512::range_of_rows(job); }

}  // namespace anydim
