// SPDX-License-Identifier: Apache-2.0
// Tiles have code of their own for every number of rows up to the most that registers hold: that is half of what kernels weigh. A subset
// build (core/ops/subset.h) has it for some numbers, and takes what is left over in several pieces: the same bits, slower at the ends.
#pragma once

#include <cstdint>

#include "core/kernels/simd/set.h"
#include "core/ops/subset.h"

namespace anydim::ANYDIM_ISA {
namespace {

constexpr bool kFewForms = !subset::kWhole;

// Whether there is code for so many rows of tiles that have `most`.
constexpr bool has_form(int rows, int most) noexcept {
  return !kFewForms || rows == most || rows == 1 || rows == 2 || rows == 4 || rows == 6 || rows == 16;
}
// How many of the rows that are left are taken at once.
constexpr int rows_at_once(int64_t left, int most) noexcept {
  int rows = left < most ? static_cast<int>(left) : most;
  while (!has_form(rows, most)) --rows;
  return rows;
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
