// SPDX-License-Identifier: Apache-2.0
// Which kernels this library has. The whole library has all of them. A subset build (cmake/subset.cmake, docs/subset-builds.md) is made for
// some models: it has those that a generated header names. What nothing names any more, the linker leaves out.
// Everything here is answered while the library is compiled.
#pragma once

#include <cstddef>
#include <string_view>

#include "core/ops/subset.h"

namespace anydim {

// A name in a template's arguments.
template <size_t N> struct StaticName {
  char text[N] = {};
  constexpr StaticName(const char (&name)[N]) noexcept {  // NOLINT: meant to convert
    for (size_t i = 0; i < N; ++i) text[i] = name[i];
  }
};

namespace subset {

// Kernels of an instruction set: "avx2".
constexpr bool keeps_set(std::string_view set) noexcept { return kWhole || contains(kSets, set); }
// One kernel: "conv.tiles.avx2".
constexpr bool keeps_kernel(std::string_view name) noexcept { return kWhole || contains(kKernels, name); }
// Any kernel whose name has this part.
constexpr bool keeps_any(std::string_view part) noexcept {
  if (kWhole) return true;
  for (const std::string_view name : kKernels)
    if (name.find(part) != name.npos) return true;
  return false;
}

}  // namespace subset

// What stands in a list for a kernel that was left out.
struct LeftOut {};

// A kernel of one name in a list of kernels: kept<"conv.reference", conv_reference>(). `kKernel` is the kernel, a pointer to it, or a
// function that returns it.
template <StaticName kName, auto& kKernel> constexpr auto kept() noexcept {
  if constexpr (!subset::keeps_kernel(kName.text)) return LeftOut();
  else if constexpr (requires { &kKernel(); }) return &kKernel();
  else if constexpr (requires { *kKernel; }) return kKernel;
  else return &kKernel;
}

}  // namespace anydim
