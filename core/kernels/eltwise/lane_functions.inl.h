// SPDX-License-Identifier: Apache-2.0
// The functions that compute in binary64 (lanes.h) of this file's instruction set.
#pragma once

#include "core/kernels/eltwise/lanes.h"
#include "core/kernels/simd/doubles.h"

namespace anydim::ANYDIM_ISA {
namespace {

constexpr int kLanes64 = 2 * kDoubles;  // doubles of two registers
inline const LaneFunctions& lane_functions() { return LaneFunctions::ANYDIM_ISA; }

}  // namespace
}  // namespace anydim::ANYDIM_ISA
