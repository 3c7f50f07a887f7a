// SPDX-License-Identifier: Apache-2.0
// Math mode reduced: every kernel of convolution and transposed convolution equals the loops of docs/numerics.md bit for bit: groups,
// strides, dilations, padding (with weights that are no numbers, too), channels that cut blocks of 32 anywhere, layouts, post-ops, threads.
#include <array>

#include "core/kernels/conv/conv.h"
#include "core/kernels/conv/conv_cases.h"
#include "core/kernels/testing/golden.h"
#include "core/kernels/testing/emulated_instructions.h"
#include "core/kernels/testing/harness.h"
#include "core/kernels/tiles/bf16.h"

namespace anydim::testing {
namespace {

// For the tests *_emulated: before anything asks for kernels.
const bool emulates = [] {
  if constexpr (is_built_for(Processor::x86)) return emulate_if_asked();
  return false;
}();

Case draw(Random& r, bool transposed, int64_t most_channels, int64_t extent) {
  Case c;
  const int spatial = r.chance(0.7) ? 2 : static_cast<int>(r.integer(1, 3));
  const int64_t groups = r.chance(0.8) ? 1 : 2;
  const int64_t in = r.integer(kLeastReducedChannels, most_channels), out = r.integer(kLeastReducedColumns, most_channels);
  Dims src{r.integer(1, 2), in * groups}, weights = transposed ? Dims{in * groups, out} : Dims{out * groups, in};
  Convolution::Attributes a;
  ConvTranspose::Attributes t;
  a.spatial = t.spatial = spatial;
  a.group = t.group = groups;
  const int64_t widest = in >= kLeastReducedK && r.chance(0.3) ? 1 : 4;
  for (int i = 0; i < spatial; ++i) {
    src.push_back(r.integer(1, spatial == 3 ? 4 : extent));
    weights.push_back(r.integer(1, spatial == 3 ? 3 : widest));
    a.strides[i] = t.strides[i] = r.chance(0.6) ? 1 : r.integer(1, 3);
    a.dilations[i] = t.dilations[i] = r.chance(0.8) ? 1 : r.integer(1, 3);
    a.pads_begin[i] = r.integer(0, 3);
    a.pads_end[i] = r.integer(0, 3);
    t.pads_begin[i] = t.pads_end[i] = r.chance(0.6) ? 0 : r.integer(0, 2);
    t.output_padding[i] = r.chance(0.7) ? 0 : r.integer(0, t.strides[i] - 1);
  }
  OwnedTensor input(DType::f32, src, random_layout(r), &r);
  OwnedTensor kernels(DType::f32, weights, r.chance(0.8) ? Layout::row_major : Layout::permuted, &r);
  const bool fits = draw_case(r, *(transposed ? ConvTranspose::make(t) : Convolution::make(a)), std::move(input), std::move(kernels),
                              out * groups, random_layout(r), &c);
  c.run.constant_weights = true;
  // Drawn again where a sum has too few products.
  if (!fits || run_kernel(transposed ? conv_transpose_reduced_reference() : conv_reduced_reference(), c.run, &r).refusal != nullptr)
    return draw(r, transposed, most_channels, extent);
  return c;
}

void expect_all_equal(Random& r, Case& c, KernelList kernels) {
  const HostKernel& reference = *kernels.back();
  Outcome want = run_kernel(reference, c.run, &r);
  ASSERT_EQ(want.refusal, nullptr) << want.refusal << "; " << c.text;
  ASSERT_TRUE(want.status.ok()) << want.status.message();
  for (const HostKernel* k : runnable(kernels)) {
    Outcome got = run_kernel(*k, c.run, &r);
    ASSERT_EQ(got.refusal, nullptr) << k->name() << "; " << c.text;
    ASSERT_TRUE(got.status.ok()) << k->name() << ": " << got.status.message() << "; " << c.text;
    ASSERT_TRUE(same_bits(want.out[0], got.out[0])) << k->name() << "; " << c.text;
  }
}

TEST(ReducedConvolution, EqualsTheReferenceOnRandomShapes) {
  Random r(201);
  for (int i = 0; i < 120 && !HasFailure(); ++i) {
    Case c = draw(r, false, 70, 9);
    expect_all_equal(r, c, conv_reduced_kernels());
  }
}

TEST(ReducedConvolution, EqualsTheReferenceWithManyChannelsAndRows) {
  Random r(202);
  for (int i = 0; i < 8 && !HasFailure(); ++i) {
    Case c = draw(r, false, 150, 20);
    expect_all_equal(r, c, conv_reduced_kernels());
  }
}

TEST(ReducedConvolution, TransposedEqualsTheReferenceOnRandomShapes) {
  Random r(203);
  for (int i = 0; i < 100 && !HasFailure(); ++i) {
    Case c = draw(r, true, 70, 7);
    expect_all_equal(r, c, conv_transpose_reduced_kernels());
  }
}

TEST(ReducedConvolution, HaveTheGoldenBits) {
  Random r(205);
  const auto digest = [&](const HostKernel& kernel, const Operator& op, const Dims& src, const Dims& weights) {
    anydim::testing::Run run;
    run.op = &op;
    run.in.emplace_back(DType::f32, src);
    run.in.emplace_back(DType::f32, weights);
    fill_by_formula(run.in[0], 1);
    fill_by_formula(run.in[1], 2);
    run.out_layouts = {Layout::row_major};
    run.constant_weights = true;
    return digest_of(run_kernel(kernel, run, &r).out[0]);
  };
  Convolution::Attributes a;
  a.group = 2;
  ConvTranspose::Attributes t;
  for (int i = 0; i < 2; ++i) a.pads_begin[i] = a.pads_end[i] = 1, t.strides[i] = 2;
  const OperatorPtr conv = *Convolution::make(a), transposed = *ConvTranspose::make(t);
  for (const HostKernel* k : runnable(conv_reduced_kernels()))
    EXPECT_EQ(digest(*k, *conv, {2, 40, 5, 6}, {70, 20, 3, 3}), 14192683077591883589u) << k->name();
  for (const HostKernel* k : runnable(conv_transpose_reduced_kernels()))
    EXPECT_EQ(digest(*k, *transposed, {1, 32, 4, 5}, {32, 33, 3, 3}), 8190791588811835885u) << k->name();
}

TEST(ReducedConvolution, AreRefusedForGroupsOfFewChannels) {
  Random r(204);
  for (const auto& [in, out] : {std::array<int64_t, 2>{15, 80}, {80, 31}, {63, 64}}) {
    Case c;
    c.op = *Convolution::make({});
    ASSERT_TRUE(draw_case(r, std::move(c.op), OwnedTensor(DType::f32, {1, in, 5, 5}), OwnedTensor(DType::f32, {out, in, 1, 1}), out,
                          Layout::row_major, &c));
    c.run.constant_weights = true;
    for (const HostKernel* k : conv_reduced_kernels()) EXPECT_NE(run_kernel(*k, c.run, &r).refusal, nullptr) << k->name();
  }
}

}  // namespace
}  // namespace anydim::testing
