// SPDX-License-Identifier: Apache-2.0
// All passes together, in their order.
#include "core/graph/testing/pass_on_text.h"

namespace anydim {
namespace {

using namespace testing;

TEST(AllPasses, a_mobile_block_becomes_one_convolution_with_its_chain) {
  const std::string text = R"(
input x: f32[N, 2, H, W]
const w: f32[3, 2, 1, 1] = 1 -2 3 -4 5 -6
const gamma: f32[3] = 1 2 3
const beta: f32[3] = 4 5 6
const mean: f32[3] = 1 0 -1
const variance: f32[3] = 1 4 9
const eps: f32[] = 0
const three: f32[] = 3
const six: f32[] = 6
const s: f32[1] = 2
const t: f32[1] = 0.5
ve = binary(variance, eps) function=add
dev = unary(ve) function=sqrt
sc = binary(gamma, dev) function=div
ms = binary(mean, sc) function=mul
sh = binary(beta, ms) function=sub
sc3 = reshape(sc) dims=[3, 1, 1]
sh3 = reshape(sh) dims=[3, 1, 1]
c = convolution(x, w)
b1 = binary(c, sc3) function=mul
b2 = binary(b1, sh3) function=add
h1 = binary(b2, three) function=add
h2 = unary(h1) function=clip alpha=0 beta=6
h3 = binary(b2, h2) function=mul
h4 = binary(h3, six) function=div
p1 = binary(s, h4) function=mul
y = binary(p1, t) function=add
output y
)";
  Graph g = parse(text);
  ASSERT_TRUE(run_passes(g).ok());
  EXPECT_EQ(print_graph(g, true), print_graph(parse(R"(
input x: f32[N, 2, H, W]
const w: f32[3, 2, 1, 1] = 1 -2 3 -4 5 -6
const b: f32[3] = 3 5 7
y = convolution(x, w, b) | hard_swish | affine(2, 0.5)
output y
)"),
                                              true))
      << print_graph(g);
}

TEST(PassSets, exact_passes_choose_no_meaning_and_none_leaves_the_graph_as_it_is) {
  const std::string text = R"(
input x: f32[N, 4]
const one: f32[] = 1
s = unary(x) function=sigmoid
m = binary(x, s) function=mul
y = binary(m, one) function=mul
output y
)";
  Graph all = parse(text), exact = parse(text), none = parse(text);
  ASSERT_TRUE(run_passes(all).ok());
  ASSERT_TRUE(run_passes(exact, {PassSet::exact, {}}).ok());
  ASSERT_TRUE(run_passes(none, {PassSet::none, {}}).ok());
  EXPECT_NE(print_graph(all).find("silu"), std::string::npos);
  EXPECT_EQ(print_graph(exact).find("silu"), std::string::npos);
  EXPECT_LT(exact.order().size(), none.order().size()) << "x * 1 is exact";
  EXPECT_EQ(print_graph(none, true), print_graph(parse(text), true));
}

TEST(AllPasses, sizes_that_must_be_equal_are_guarded_and_then_fuse) {
  Graph g = parse(R"(
input x: f32[N, 2, H, W]
const w: f32[2, 2, 3, 3] = 0.25
a = convolution(x, w) strides=2,2 pads_begin=1,1 pads_end=1,1
b = reshape(x) dims=[N, 2, 2*((H + 3) // 4), 2*((W + 3) // 4)]
y = binary(a, b) function=add
output y
)");
  // The reshape's and the sum's guards, of both axes: nothing is said of H = 1, where a would broadcast.
  EXPECT_EQ(g.guards.size(), 3u) << print_graph(g);
  ASSERT_TRUE(run_passes(g).ok());
  ASSERT_EQ(g.order().size(), 2u) << print_graph(g);
  EXPECT_EQ(g.node(g.order()[1]).post_ops.count, 1);
}

}  // namespace
}  // namespace anydim
