// SPDX-License-Identifier: Apache-2.0
// For sets whose vectors know no bytes: plain loops do everything.
#pragma once

#include "core/kernels/quantized/convert_rows.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

template <class From, class To> bool convert_vectors(const ConvertRow&) { return false; }
template <BinaryFunction F> bool combine_vectors(const CombineRow&, DType, DType, DType) { return false; }

}  // namespace
}  // namespace anydim::ANYDIM_ISA
