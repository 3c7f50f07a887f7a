// SPDX-License-Identifier: Apache-2.0
// Conversions of quantized values, portable.
#include "core/kernels/quantized/no_vectors.inl.h"
// What is made of vectors stands before the loops.
#include "core/kernels/quantized/combine_rows.inl.h"
#include "core/kernels/quantized/convert_rows.inl.h"
#include "core/kernels/quantized/range_rows.inl.h"

namespace anydim {

ConvertFunction ConvertFunctions::portable(DType from, DType to) noexcept { return portable::converts(from, to); }
CombineFunction CombineFunctions::portable(BinaryFunction f) noexcept { return portable::combines(f); }
Extremes RangeOfRows::portable(const RangeJob& job) noexcept { return portable::range_of_rows(job); }

}  // namespace anydim
