// SPDX-License-Identifier: Apache-2.0
// The list of kernels for quantized products, the references last.
#include <vector>

#include "core/kernels/quantized/quantized.h"

namespace anydim {

KernelList quantized_kernels() noexcept {
  static const std::vector<const HostKernel*>* const all = [] {
    auto* list = new std::vector<const HostKernel*>;  // never destroyed: the background worker may outlive static objects
    for (const KernelList part : {int_matmul_list(), int_depthwise_line_list(), int_depthwise_list(), int_convolution_list(),
                                  int_transposed_list(), quantized_references()})
      list->insert(list->end(), part.begin(), part.end());
    return list;
  }();
  return *all;
}

}  // namespace anydim
