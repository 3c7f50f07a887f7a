// SPDX-License-Identifier: Apache-2.0
// The vector type F32 of the instruction set that a file is compiled for. Bodies of kernels (*.inl.h) include this one and lie in the
// namespace ANYDIM_ISA of anydim, and in an unnamed namespace within it: what the linker sees of one set has another name than that of
// another, and nothing of it is visible outside its file.
//
// ANYDIM_ISA is the set's name, which is its namespace and its header here: avx2.h, avx512.h, portable.h, one for each.
// CMake gives it to files by the end of their names (core/base/instruction_sets.def); all others are portable.
#pragma once

#ifndef ANYDIM_ISA
#define ANYDIM_ISA portable
#endif
#define ANYDIM_QUOTED_TEXT(text) #text
#define ANYDIM_QUOTED(text) ANYDIM_QUOTED_TEXT(text)

// clang-format off
#include ANYDIM_QUOTED(core/kernels/simd/ANYDIM_ISA.h)
// clang-format on

namespace anydim::ANYDIM_ISA {
namespace {

// For `#pragma GCC unroll`: so many copies of a loop, and one where a multiply-add is a call for each lane. Beside those calls copies gain
// nothing, and they were a third of the portable kernels (docs/decisions/194-size-of-the-library.md).
constexpr int copies([[maybe_unused]] int n) noexcept {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  return n;
#else
  return 1;
#endif
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
