// SPDX-License-Identifier: Apache-2.0
// Conversions of quantized numbers, portable.
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/kernels/quantized/convert_rows.h"

namespace anydim {
namespace {
#include "core/kernels/quantized/convert_rows.inl.h"
#include "core/kernels/quantized/combine_rows.inl.h"
#include "core/kernels/quantized/look_up_rows.inl.h"
#include "core/kernels/quantized/range_rows.inl.h"
}  // namespace

constinit const ConvertFunctions kConvertPortable = converts;
constinit const CombineFunctions kCombinePortable = combines;
constinit const LookUpFunction kLookUpPortable = look_up_row;
constinit const RangeFunction kRangePortable = range_of_rows;

}  // namespace anydim
