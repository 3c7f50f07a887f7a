// SPDX-License-Identifier: Apache-2.0
// Convolutions whose vectors run over positions: signals of one channel, transposed ones into a few channels. Bits of the reference.
#include <algorithm>

#include "core/kernels/conv/conv_cases.h"

namespace anydim::testing {
namespace {

// Signals of one channel: into positions side by side, or channels; tails of both, weights of several panels, bias and post-ops by row.
TEST(Convolution, EqualsTheReferenceOnSignalsOfOneChannel) {
  Random r(15);
  for (int i = 0; i < 80 && !HasFailure(); ++i) {
    Convolution::Attributes a;
    a.spatial = 1;
    const int64_t kernel = r.integer(1, r.chance(0.2) ? 128 : 12);
    a.strides[0] = r.integer(1, 6);
    a.dilations[0] = r.chance(0.7) ? 1 : r.integer(2, 3);
    if (r.chance(0.2)) a.pads_end[0] = r.integer(0, 4);
    if (r.chance(0.1)) a.pads_begin[0] = 1;
    const Dims src{r.integer(1, 3), 1, (kernel - 1) * a.dilations[0] + r.integer(1, r.chance(0.2) ? 9000 : 400)};
    const Dims weights{r.integer(5, 150), 1, kernel};
    Case c;
    const Layout from = r.chance(0.7) ? Layout::row_major : Layout::padded_rows;
    const Layout to = r.chance(0.7) ? Layout::row_major : random_layout(r);
    ASSERT_TRUE(draw_case(r, *Convolution::make(a), {DType::f32, src, from, &r}, {DType::f32, weights}, weights[0], to, &c));
    expect_equal_to_reference(r, c, conv_kernels());
  }
}

// Lanes that are positions of one phase, of strides and dilations with and without common divisors.
TEST(ConvTranspose, EqualsTheReferenceIntoOneToFourChannels) {
  Random r(14);
  int ran = 0;
  for (int i = 0; i < 150 && !HasFailure(); ++i) {
    ConvTranspose::Attributes a;
    a.spatial = r.chance(0.25) ? 1 : 2;
    const int64_t channels = r.integer(1, r.chance(0.3) ? 150 : 60);
    Dims src{r.chance(0.7) ? 1 : 2, channels}, weights{channels, r.integer(1, 4)};
    a.auto_pad = r.chance(0.8) ? AutoPad::explicit_ : static_cast<AutoPad>(r.integer(1, 3));
    for (int axis = 0; axis < a.spatial; ++axis) {
      const bool last = axis + 1 == a.spatial;
      src.push_back(last ? r.integer(1, i % 5 == 0 ? 150 : 40) : r.integer(1, 12));
      weights.push_back(a.spatial == 1 ? r.integer(5, 20) : r.integer(2, 6));
      a.strides[axis] = r.chance(0.3) ? 1 : r.integer(2, 5);
      a.dilations[axis] = r.chance(0.7) ? 1 : r.integer(2, 4);
      const int64_t reach = (weights[2 + axis] - 1) * a.dilations[axis], whole = (src[2 + axis] - 1) * a.strides[axis] + reach + 1;
      a.pads_begin[axis] = r.chance(0.5) ? 0 : r.integer(0, std::min(reach + 3, (whole - 1) / 2));
      a.pads_end[axis] = r.chance(0.5) ? 0 : r.integer(0, std::min(reach + 3, (whole - 1) / 2));
      a.output_padding[axis] = r.chance(0.6) ? 0 : r.integer(0, a.strides[axis] - 1);
    }
    Case c;
    const Layout of_weights = r.chance(0.8) ? Layout::row_major : Layout::permuted;
    if (!draw_case(r, *ConvTranspose::make(a), {DType::f32, src, random_layout(r), &r}, {DType::f32, weights, of_weights, &r}, weights[1],
                   random_layout(r), &c))
      continue;
    expect_equal_to_reference(r, c, conv_transpose_kernels());
    for (const HostKernel* k : with_lines(conv_transpose_kernels()))
      ran += is_for_few_outputs(*k) && run_kernel(*k, c.run, &r).refusal == nullptr;
  }
  if (cpu().usable.includes(Isa::avx2)) {
    EXPECT_GT(ran, 50);
  }
}

}  // namespace
}  // namespace anydim::testing
