// SPDX-License-Identifier: Apache-2.0
// What the tests of depthwise convolutions share: layouts and post-ops that are drawn, and the comparison with the reference.
#pragma once

#include <utility>
#include <vector>

#include "core/kernels/testing/harness.h"

namespace anydim::testing {

inline constexpr Layout kDepthwiseLayouts[] = {Layout::channels_last, Layout::padded_channels_last, Layout::row_major, Layout::permuted,
                                               Layout::padded_rows};
inline Layout any_layout(Random& r) { return r.chance(0.5) ? Layout::channels_last : kDepthwiseLayouts[r.integer(0, 4)]; }

// A chain of post-ops with their tensors, broadcast in some way to the output.
inline void add_post_ops(testing::Run& run, const Dims& out, Random& r) {
  constexpr UnaryFunction kUnary[] = {UnaryFunction::relu, UnaryFunction::clip, UnaryFunction::hard_swish, UnaryFunction::silu,
                                      UnaryFunction::hard_sigmoid};
  constexpr BinaryFunction kBinary[] = {BinaryFunction::add, BinaryFunction::mul, BinaryFunction::max};
  // What tensors of 16-bit floats between operators end with.
  const UnaryFunction last = r.chance(0.7) ? UnaryFunction::identity : r.chance(0.7) ? UnaryFunction::round_f16 : UnaryFunction::round_bf16;
  const auto end = [&] {
    if (last != UnaryFunction::identity) run.post_ops.append({.unary = last});
  };
  if (r.chance(0.2)) {  // the commonest chain of two, held before it or not
    if (r.flag()) run.post_ops.append({.unary = UnaryFunction::clip, .alpha = -1.5f, .beta = 0.5f});
    run.post_ops.append({.unary = UnaryFunction::hard_swish});
    run.post_ops.append({.unary = UnaryFunction::affine, .alpha = 0.75f, .beta = -0.1f});
    return end();
  }
  for (int64_t n = r.chance(0.3) ? 0 : r.integer(1, 3); n > 0; --n) {
    PostOp p;
    if (r.chance(0.6)) {
      p.unary = kUnary[r.integer(0, 4)];
      p.alpha = p.unary == UnaryFunction::clip ? -0.5f : 0.2f;
      p.beta = 0.5f;
    } else {
      p.kind = r.chance(0.3) ? PostOp::Kind::binary_reversed : PostOp::Kind::binary;
      p.binary = kBinary[r.integer(0, 2)];
      Dims d = out;
      for (int i = 0; i < d.rank; ++i)
        if (r.chance(0.4)) d[i] = 1;
      run.post_in.push_back(std::move(OwnedTensor(DType::f32, d, any_layout(r), &r).fill(r)));
    }
    run.post_ops.append(p);
  }
  end();
}

// Fills in post-ops; every kernel gives the reference's bits, whatever the threads, the layout of the result and what is packed.
inline void expect_equal(Random& r, testing::Run* run, const Operator& op, const HostKernel& reference, KernelList kernels) {
  DimPool pool;
  std::vector<TensorType> types;
  for (const OwnedTensor& t : run->in) {
    TensorType y{t.view().dtype, {}};
    for (int64_t d : t.view().dims) y.dims.push_back(d);
    types.push_back(y);
  }
  TensorType out;
  ASSERT_TRUE(op.infer(pool, types, {&out, 1}).ok());
  Dims dims;
  for (Dim d : out.dims) dims.push_back(d.number());
  add_post_ops(*run, dims, r);
  const Outcome truth = run_kernel(reference, *run, &r);
  ASSERT_TRUE(truth.status.ok() && !truth.refusal) << truth.status.message();
  for (const HostKernel* k : runnable(kernels)) {
    run->threads = static_cast<int>(r.integer(1, 2));
    run->constant_weights = r.chance(0.5);
    run->constant_bias = r.chance(0.7);
    run->out_layouts = {any_layout(r)};
    const Outcome o = run_kernel(*k, *run, &r);
    ASSERT_EQ(o.refusal, nullptr) << o.refusal;
    ASSERT_TRUE(o.status.ok()) << o.status.message();
    ASSERT_TRUE(same_bits(truth.out[0], o.out[0])) << k->name() << " " << describe(op) << " " << to_string(run->in[0].view().dims) << " * "
                                                   << to_string(run->in[1].view().dims) << " " << describe(run->post_ops);
  }
}

}  // namespace anydim::testing
