// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution: every group has one input channel, or two, four or eight and as many output channels. Vectors run over
// channels, so channels last is the fast order; what each output element is, is docs/numerics.md section 1, and its reference is
// conv/reference.cpp.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

KernelList depthwise_kernels() noexcept;
// Transposed, of one channel a group (transposed.cpp).
KernelList depthwise_transposed_kernels() noexcept;
// Both, where a window has more taps than a block of sums (windows.cpp).
KernelList depthwise_window_kernels() noexcept;

// One that can compute some output rows on their own: what comes in pieces goes through it band by band.
class DepthwiseBands : public HostKernel {
 public:
  // Rows [begin, end) of the last but one axis of sample n, on this thread, where weights and bias are packed and there are two spatial
  // axes. Of both tensors no other rows are read or written, so that these alone need be in memory where the views say that they are.
  virtual void run_band(const Args& args, int64_t n, int64_t begin, int64_t end) const noexcept = 0;
};
// All of depthwise_kernels().
std::span<const DepthwiseBands* const> depthwise_bands() noexcept;

}  // namespace anydim
