// SPDX-License-Identifier: Apache-2.0
// Element-wise operators move into the operator that feeds them.
#include "core/graph/testing/pass_on_text.h"

namespace anydim {
namespace {

using namespace testing;

TEST(PostOps, functions_and_a_residual_move_into_the_convolution) {
  expect("post_ops", R"(
input x: f32[N, 2, H, W]
input r: f32[N, 3, H, W]
const w: f32[3, 2, 1, 1] = 1 2 3 4 5 6
c = convolution(x, w)
d = binary(r, c) function=sub
e = unary(d) function=relu
y = unary(e) function=affine alpha=2 beta=1
output y
)",
         R"(
input x: f32[N, 2, H, W]
input r: f32[N, 3, H, W]
const w: f32[3, 2, 1, 1] = 1 2 3 4 5 6
y = convolution(x, w) | reversed_sub(r) | relu | affine(2, 1)
output y
)",
         Bits::equal);
}

TEST(PostOps, the_later_of_two_convolutions_takes_the_sum) {
  expect("post_ops", R"(
input x: f32[N, 2, H, W]
const w: f32[2, 2, 1, 1] = 1 2 3 4
a = convolution(x, w)
m = unary(a) function=relu
b = convolution(m, w)
c = convolution(x, w)
y = binary(c, b) function=add
output y
)",
         R"(
input x: f32[N, 2, H, W]
const w: f32[2, 2, 1, 1] = 1 2 3 4
a = convolution(x, w) | relu
b = convolution(a, w)
y = convolution(x, w) | add(b)
output y
)",
         Bits::equal);
}

TEST(PostOps, a_feeder_waits_for_the_other_operand_of_its_sum) {
  expect("post_ops", R"(
input x: f32[N, 2, H, W]
const w: f32[2, 2, 1, 1] = 1 2 3 4
a = convolution(x, w)
b = softmax(x) axis=1
y = binary(a, b) function=add
output y
)",
         R"(
input x: f32[N, 2, H, W]
const w: f32[2, 2, 1, 1] = 1 2 3 4
b = softmax(x) axis=1
y = convolution(x, w) | add(b)
output y
)",
         Bits::equal);
}

TEST(PostOps, a_normalisation_takes_its_scale_shift_and_activation) {
  expect("post_ops", R"(
input x: f32[N, 2, H, W]
const s: f32[2, 1, 1] = 3 4
const b: f32[2, 1, 1] = 5 6
n = layer_norm(x) axis=2
d = binary(n, s) function=mul
e = binary(d, b) function=add
y = unary(e) function=relu
output y
)",
         R"(
input x: f32[N, 2, H, W]
const s: f32[2, 1, 1] = 3 4
const b: f32[2, 1, 1] = 5 6
y = layer_norm(x) axis=2 | mul(s) | add(b) | relu
output y
)",
         Bits::equal);
}

TEST(PostOps, between_a_convolution_and_a_normalisation_the_convolution_takes_the_sum) {
  expect("post_ops", R"(
input x: f32[N, 2, H, W]
const w: f32[2, 2, 1, 1] = 1 2 3 4
c = convolution(x, w)
n = layer_norm(x) axis=2
y = binary(c, n) function=add
output y
)",
         R"(
input x: f32[N, 2, H, W]
const w: f32[2, 2, 1, 1] = 1 2 3 4
n = layer_norm(x) axis=2
y = convolution(x, w) | add(n)
output y
)",
         Bits::equal);
}

TEST(PostOps, an_operand_that_would_enlarge_the_output_stays) {
  const std::string text = R"(
input x: f32[N, 2, 1, 1]
input r: f32[N, 2, H, W]
const w: f32[2, 2, 1, 1] = 1 2 3 4
c = convolution(x, w)
y = binary(c, r) function=mul
output y
)";
  expect("post_ops", text, text, Bits::equal);
}

TEST(PostOps, a_value_that_is_read_twice_stays) {
  const std::string text = R"(
input x: f32[N, 2, H, W]
const w: f32[2, 2, 1, 1] = 1 2 3 4
c = convolution(x, w)
y = unary(c) function=relu
output y
output c
)";
  expect("post_ops", text, text, Bits::equal);
}

TEST(PostOps, a_chain_stops_when_it_is_full) {
  std::string text = "input x: f32[N, 2, H, W]\nconst w: f32[2, 2, 1, 1] = 1 2 3 4\nv0 = convolution(x, w)\n";
  for (int i = 1; i <= kMaxPostOps + 2; ++i) text += formatted("v{} = unary(v{}) function=abs\n", i, i - 1);
  text += formatted("output v{}\n", kMaxPostOps + 2);
  Graph g = after("post_ops", text);
  ASSERT_EQ(g.order().size(), 2u);
  EXPECT_EQ(g.node(g.order()[0]).post_ops.count, kMaxPostOps);
  EXPECT_EQ(g.node(g.order()[1]).post_ops.count, 1);
}

TEST(PostOps, sixteen_bit_floats_move_by_a_pass_of_their_own) {
  const char* text = R"(
input x: f16[N, 2, H, W]
input r: f16[N, 3, H, W]
input w: f16[3, 2, 1, 1]
c = convolution(x, w)
d = binary(r, c) function=add
y = unary(d) function=relu
output y
)";
  expect_left("post_ops", text);
  EXPECT_EQ(print_graph(after("half_post_ops", text), true), print_graph(parse(R"(
input x: f16[N, 2, H, W]
input r: f16[N, 3, H, W]
input w: f16[3, 2, 1, 1]
y = convolution(x, w) | add(r) | relu
output y
)"),
                                                                         true));
}

}  // namespace
}  // namespace anydim
