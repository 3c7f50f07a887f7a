// SPDX-License-Identifier: Apache-2.0
// Which operators this library has: all of them, or those that a subset build was made for (cmake/subset.cmake,
// docs/subset-builds.md), whose lists are in a generated header. Files of one instruction set include it. Kernels: core/kernels/kept.h.
#pragma once

#include <span>
#include <string_view>

#include "core/ops/generated/enums.h"

#ifdef ANYDIM_SUBSET
#include "anydim_subset.h"  // by tools/subset.py, in the build's folder
#else
namespace anydim::subset {
constexpr bool kWhole = true;
constexpr char kMadeFor[] = "";  // what the subset was made for, as its messages say it
constexpr std::span<const std::string_view> kSets, kKernels;
constexpr std::span<const OpKind> kOperators;
}  // namespace anydim::subset
#endif

namespace anydim::subset {

template <class List, class T> constexpr bool contains(const List& list, const T& value) noexcept {
  for (const auto& one : list)
    if (one == value) return true;
  return false;
}

constexpr bool keeps(OpKind kind) noexcept { return kWhole || contains(kOperators, kind); }
}  // namespace anydim::subset
