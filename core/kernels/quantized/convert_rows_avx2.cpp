// SPDX-License-Identifier: Apache-2.0
// Conversions of quantized values, avx2.
#ifndef __AVX2__
#error "plain loops, which only the options of the instruction set make vectors of"
#endif
#include "core/kernels/quantized/vectors_avx2.inl.h"
// What is made of vectors stands before the loops.
#include "core/kernels/quantized/combine_rows.inl.h"
#include "core/kernels/quantized/convert_rows.inl.h"
#include "core/kernels/quantized/range_rows.inl.h"

namespace anydim {

ConvertFunction ConvertFunctions::avx2(DType from, DType to) noexcept { return avx2::converts(from, to); }
CombineFunction CombineFunctions::avx2(BinaryFunction f) noexcept { return avx2::combines(f); }
Extremes RangeOfRows::avx2(const RangeJob& job) noexcept { return avx2::range_of_rows(job); }

}  // namespace anydim
