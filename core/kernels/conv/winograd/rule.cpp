// SPDX-License-Identifier: Apache-2.0
// Where mode fast computes in Winograd's form; see winograd.h. A line of docs/numerics.md each: they decide about bits.
#include "core/base/checked.h"
#include "core/kernels/conv/winograd/steps.h"
#include "core/kernels/conv/winograd/winograd.h"
#include "core/kernels/eltwise/functions.h"
#include "core/ops/operators/convolution.h"

namespace anydim {

namespace {

// With fewer the transforms take longer than they save.
constexpr int64_t kLeastChannels = 16, kLeastOutputs = 16;
}  // namespace

Support fast_serves_conv(const Problem& p) noexcept {
  for (const TensorType& t : p.in)
    if (t.dtype != DType::f32 && t.dtype != DType::none) return no("an input is not f32");
  if (!p.is_constant(1)) return no("the weights are no constant");
  const Convolution::Attributes& a = as<Convolution>(*p.op)->get();
  const Dims w = numbers(p.in[1].dims);
  if (a.spatial != 2 || w[2] != 3 || w[3] != 3) return no("the kernel is not 3x3");
  for (int i = 0; i < 2; ++i)
    if (a.strides[i] != 1 || a.dilations[i] != 1) return no("a stride or dilation is not 1");
  if (w[1] < kLeastChannels || w[0] / a.group < kLeastOutputs) return no("a group has fewer than 16 channels or 16 outputs");
  return supports_post_ops(p);
}

// Products for each input channel and output: 36 a tile and as good as 260 for the transform of the weights, against 9 a position; so it
// computes so from 4/5 on.
bool winograd_serves_plane(int64_t height, int64_t width) noexcept {
  const int64_t tiles = saturating_mul(ceil_div(height, kWinogradTile), ceil_div(width, kWinogradTile));
  return saturating_add(saturating_mul(tiles, 45), 325) <= saturating_mul(9, saturating_mul(height, width));
}

}  // namespace anydim
