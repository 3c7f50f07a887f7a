// SPDX-License-Identifier: Apache-2.0
// The list of the CPU's kernels: families that share operators with others in the order of preference, then all that there are
// (`make generate` finds a new one).
#include <algorithm>
#include <iterator>

#include "core/engines/cpu/engine.h"
#include "core/engines/cpu/kept_families.h"

namespace anydim {

namespace {

constexpr KernelFamily kPreferred[] = {
    doubles_kernels,          half_kernels, half_eltwise_kernels, conv_line_kernels, depthwise_kernels, depthwise_transposed_kernels,
    depthwise_window_kernels, conv_kernels, typed_kernels,        eltwise_kernels};

}  // namespace

const KernelTable& cpu_kernels() noexcept {
  static const KernelTable* const table = [] {
    auto* t = new KernelTable;  // never destroyed: the background worker may outlive static objects
    const auto add = [t](KernelFamily family) {
      for (const HostKernel* k : family()) t->add(*k);
    };
    static constexpr auto kOrdered = kept_families(kPreferred);
    static constexpr auto kAll = kept_families(kKernelFamilies);
    std::for_each(kOrdered.begin(), kOrdered.end(), add);
    for (const KernelFamily family : kAll)
      if (std::find(kOrdered.begin(), kOrdered.end(), family) == kOrdered.end()) add(family);
    return t;
  }();
  return *table;
}

}  // namespace anydim
