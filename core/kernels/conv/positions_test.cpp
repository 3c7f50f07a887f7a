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
    c.op = *Convolution::make(a);
    c.run.op = c.op.get();
    c.run.in.emplace_back(DType::f32, src, r.chance(0.7) ? Layout::row_major : Layout::padded_rows, &r);
    c.run.in.emplace_back(DType::f32, weights);
    if (r.chance(0.6)) c.run.in.emplace_back(DType::f32, Dims{weights[0]});
    for (OwnedTensor& t : c.run.in) t.fill(r, r.chance(0.2) ? 0.02 : 0);
    DimPool pool;
    std::vector<TensorType> types(c.run.in.size()), result(1);
    for (size_t t = 0; t < types.size(); ++t) {
      types[t].dtype = DType::f32;
      for (int64_t d : c.run.in[t].view().dims) types[t].dims.push_back(d);
    }
    ASSERT_TRUE(c.op->infer(pool, types, result).ok());
    Dims dst;
    for (Dim d : result[0].dims) dst.push_back(d.number());
    add_post_ops(r, dst, &c.run);
    c.run.out_layouts = {r.chance(0.7) ? Layout::row_major : random_layout(r)};
    c.run.constant_weights = r.chance(0.8);
    c.run.constant_bias = r.chance(0.7);
    c.run.threads = r.chance(0.5) ? 1 : 2;
    c.run.odd_plan = r.chance(0.3);
    c.text = formatted("{}; src {} weights {} post-ops {} threads {}", describe(*c.op), to_string(src), to_string(weights),
                       describe(c.run.post_ops), c.run.threads);
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
    c.op = *ConvTranspose::make(a);
    c.run.op = c.op.get();
    c.run.in.emplace_back(DType::f32, src, random_layout(r), &r);
    c.run.in.emplace_back(DType::f32, weights, r.chance(0.8) ? Layout::row_major : Layout::permuted, &r);
    if (r.chance(0.6)) c.run.in.emplace_back(DType::f32, Dims{weights[1]});
    const double specials = r.chance(0.25) ? 0.02 : 0;
    for (OwnedTensor& t : c.run.in) t.fill(r, specials);
    DimPool pool;
    std::vector<TensorType> types(c.run.in.size()), result(1);
    for (size_t t = 0; t < types.size(); ++t) {
      types[t].dtype = DType::f32;
      for (int64_t d : c.run.in[t].view().dims) types[t].dims.push_back(d);
    }
    if (!c.op->infer(pool, types, result).ok()) continue;
    Dims dst;
    for (Dim d : result[0].dims) dst.push_back(d.number());
    add_post_ops(r, dst, &c.run);
    c.run.out_layouts = {random_layout(r)};
    c.run.constant_weights = r.chance(0.8);
    c.run.constant_bias = r.chance(0.7);
    c.run.threads = r.chance(0.5) ? 1 : 2;
    c.text = formatted("{}; src {} weights {} post-ops {} threads {}", describe(*c.op), to_string(src), to_string(weights),
                       describe(c.run.post_ops), c.run.threads);
    expect_equal_to_reference(r, c, conv_transpose_kernels());
    for (const HostKernel* k : runnable(conv_transpose_kernels()))
      ran += is_for_few_outputs(*k) && run_kernel(*k, c.run, &r).refusal == nullptr;
  }
  if (cpu().usable.includes(Isa::avx2)) {
    EXPECT_GT(ran, 50);
  }
}

}  // namespace
}  // namespace anydim::testing
