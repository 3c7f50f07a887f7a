// SPDX-License-Identifier: Apache-2.0
// Which kernels exist where: the one place that asks for the processor a library is built for. Files of an instruction set
// (*_avx2.cpp, *_avx512.cpp) are compiled for x86-64 alone. What they define is declared everywhere, and a family names it below
// `if constexpr (kX86)`: where that is false, the statements are checked like others, and need no definition of what they name.
#pragma once

#include <algorithm>
#include <array>
#include <iterator>

#include "core/kernels/kernel.h"

namespace anydim {

#if defined(__x86_64__)
inline constexpr bool kX86 = true;
#else
inline constexpr bool kX86 = false;
#endif

// The list that has `first`, then `rest`: a family's kernels for x86-64 before those that exist everywhere.
template <size_t N, size_t M>
constexpr std::array<const HostKernel*, N + M> kernel_list(const HostKernel* const (&first)[N],
                                                           const HostKernel* const (&rest)[M]) noexcept {
  std::array<const HostKernel*, N + M> list{};
  std::copy(std::begin(rest), std::end(rest), std::copy(std::begin(first), std::end(first), list.begin()));
  return list;
}

}  // namespace anydim
