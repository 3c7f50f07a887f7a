// SPDX-License-Identifier: Apache-2.0
// The list of the CPU's kernel families. To add a family: include its header and name its list in kFamilies; where two families
// serve one operator, the earlier is preferred.
#include "core/engines/cpu/engine.h"
#include "core/kernels/conv/conv.h"
#include "core/kernels/copy/copy.h"
#include "core/kernels/depthwise/depthwise.h"
#include "core/kernels/eltwise/eltwise.h"
#include "core/kernels/gather/gather.h"
#include "core/kernels/gemm/gemm.h"
#include "core/kernels/grid_sample/grid_sample.h"
#include "core/kernels/half/half.h"
#include "core/kernels/norm/norm.h"
#include "core/kernels/pool/pool.h"
#include "core/kernels/reduce/reduce.h"
#include "core/kernels/resize/resize.h"

namespace anydim {

namespace {

using Family = KernelList (*)() noexcept;
constexpr Family kFamilies[] = {
    half_kernels, half_eltwise_kernels, depthwise_kernels,   conv_kernels,    conv_transpose_kernels,
    gemm_kernels, pool_kernels,         typed_kernels,       eltwise_kernels, reduce_kernels,
    norm_kernels, resize_kernels,       grid_sample_kernels, copy_kernels,    gather_kernels,
};

}  // namespace

const KernelTable& cpu_kernels() noexcept {
  static const KernelTable* const table = [] {
    auto* t = new KernelTable;  // never destroyed: the background worker may outlive static objects
    for (const Family family : kFamilies)
      for (const HostKernel* k : family()) t->add(*k);
    return t;
  }();
  return *table;
}

}  // namespace anydim
