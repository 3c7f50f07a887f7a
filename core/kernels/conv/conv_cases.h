// SPDX-License-Identifier: Apache-2.0
// What the tests of convolutions share: a problem, layouts and post-ops that are drawn, and the comparison with the reference.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/kernels/conv/conv.h"
#include "core/kernels/testing/harness.h"
#include "core/ops/operators/conv_transpose.h"
#include "core/ops/operators/convolution.h"

namespace anydim::testing {

struct Case {
  OperatorPtr op;
  Run run;
  std::string text;
};

inline constexpr UnaryFunction kConvUnary[] = {
    UnaryFunction::relu,       UnaryFunction::clip,   UnaryFunction::hard_swish, UnaryFunction::hard_sigmoid, UnaryFunction::silu,
    UnaryFunction::leaky_relu, UnaryFunction::affine, UnaryFunction::tanh,       UnaryFunction::round_f16,    UnaryFunction::round_bf16};
inline constexpr BinaryFunction kConvBinary[] = {BinaryFunction::add, BinaryFunction::mul, BinaryFunction::sub, BinaryFunction::max,
                                                 BinaryFunction::prelu};

inline Layout random_layout(Random& r) {
  constexpr Layout kAll[] = {Layout::channels_last, Layout::channels_last,        Layout::row_major,
                             Layout::permuted,      Layout::padded_channels_last, Layout::padded_rows};
  return kAll[r.integer(0, 5)];
}

// A chain of up to three steps, with operands of any broadcast shape.
inline void add_post_ops(Random& r, const Dims& out, Run* run) {
  const int64_t steps = r.chance(0.4) ? 0 : r.integer(1, 3);
  for (int64_t i = 0; i < steps; ++i) {
    PostOp p;
    if (r.chance(0.5)) {
      p.unary = kConvUnary[r.integer(0, 9)];
      p.alpha = 0.25f;
      p.beta = 0.75f;
    } else {
      p.kind = r.chance(0.3) ? PostOp::Kind::binary_reversed : PostOp::Kind::binary;
      p.binary = kConvBinary[r.integer(0, 4)];
      Dims d = out;
      if (r.chance(0.7))
        for (int64_t& v : d)
          if (r.chance(0.5)) v = 1;
      if (r.chance(0.2))
        while (d.rank > 0 && r.chance(0.5)) d.erase(0);
      OwnedTensor t(DType::f32, d, random_layout(r), &r);
      t.fill(r, r.chance(0.2) ? 0.05 : 0);
      run->post_in.push_back(t);
    }
    run->post_ops.append(p);
  }
}

// A problem of an operator, its input and weights of `channels` outputs; drawn are values, a bias, post-ops, what is constant and how it
// runs. False: the operator refuses the dims.
inline bool draw_case(Random& r, OperatorPtr op, OwnedTensor src, OwnedTensor weights, int64_t channels, Layout out, Case* c) {
  c->op = std::move(op);
  Run& run = c->run;
  run.op = c->op.get();
  run.in = {std::move(src), std::move(weights)};
  if (r.chance(0.6)) run.in.emplace_back(DType::f32, Dims{channels}, r.chance(0.8) ? Layout::row_major : Layout::padded_rows, &r);
  const double specials = r.chance(0.25) ? 0.02 : 0;
  for (OwnedTensor& t : run.in) t.fill(r, specials);
  DimPool pool;
  std::vector<TensorType> types(run.in.size()), result(1);
  for (size_t i = 0; i < types.size(); ++i) {
    types[i].dtype = DType::f32;
    for (int64_t d : run.in[i].view().dims) types[i].dims.push_back(d);
  }
  if (!c->op->infer(pool, types, result).ok()) return false;
  Dims dst;
  for (Dim d : result[0].dims) dst.push_back(d.number());
  add_post_ops(r, dst, &run);
  run.out_layouts = {out};
  run.constant_weights = r.chance(0.8);
  run.constant_bias = r.chance(0.7);
  run.threads = r.chance(0.5) ? 1 : 2;
  run.odd_plan = r.chance(0.5);
  c->text = formatted("{}; src {} weights {} post-ops {} threads {} constant {}", describe(*c->op), to_string(run.in[0].view().dims),
                      to_string(run.in[1].view().dims), describe(run.post_ops), run.threads, run.constant_weights + run.constant_bias);
  return true;
}

inline bool is_for_few_outputs(const Kernel& k) { return std::string_view(k.name()).find(".lines.") != std::string_view::npos; }

// Those of a list of one operator that this CPU can run, and those of lines.
inline std::vector<const HostKernel*> with_lines(KernelList kernels) {
  std::vector<const HostKernel*> all = runnable(kernels);
  for (const HostKernel* k : runnable(conv_line_kernels()))
    if (k->key().op == kernels.front()->key().op) all.push_back(k);
  return all;
}

inline void expect_equal_to_reference(Random& r, Case& c, KernelList kernels) {
  const HostKernel& reference = *kernels.back();
  Outcome want = run_kernel(reference, c.run, &r);
  ASSERT_TRUE(want.status.ok()) << want.status.message();
  ASSERT_EQ(want.refusal, nullptr);
  for (const HostKernel* k : with_lines(kernels)) {
    if (k == &reference) continue;
    Outcome got = run_kernel(*k, c.run, &r);
    if (got.refusal && is_for_few_outputs(*k)) continue;
    ASSERT_EQ(got.refusal, nullptr) << k->name() << "; " << c.text;
    ASSERT_TRUE(got.status.ok()) << k->name() << ": " << got.status.message() << "; " << c.text;
    ASSERT_TRUE(same_bits(want.out[0], got.out[0])) << k->name() << "; " << c.text;
  }
}

}  // namespace anydim::testing
