// SPDX-License-Identifier: Apache-2.0
// The functions that compute in binary64, for one instruction set.
#pragma once

#include "core/kernels/eltwise/angles.inl.h"
#include "core/kernels/eltwise/lanes.h"
#include "core/kernels/eltwise/power.inl.h"

namespace anydim::ANYDIM_ISA {
namespace {

constexpr LaneFunctions kLaneFunctions = {power_lanes, modulo_lanes, angle_lanes, power_row, mod_floor_row, mod_trunc_row, log_row};

}  // namespace
}  // namespace anydim::ANYDIM_ISA
