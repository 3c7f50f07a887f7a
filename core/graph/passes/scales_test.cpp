// SPDX-License-Identifier: Apache-2.0
// Constant scales and shifts are merged, and folded into weights and bias.
#include "core/graph/testing/pass_on_text.h"

namespace anydim {
namespace {

using namespace testing;

TEST(Scales, a_scale_and_a_shift_after_a_convolution_go_into_its_weights) {
  expect("scales", R"(
input x: f32[N, 2, H, W]
const w: f32[3, 2, 1, 1] = 1 2 3 4 5 6
const b: f32[3] = 1 2 3
const s: f32[1] = 2
const t: f32[3, 1, 1] = 10 20 30
c = convolution(x, w, b)
d = binary(s, c) function=mul
y = binary(d, t) function=add
output y
)",
         R"(
input x: f32[N, 2, H, W]
const w: f32[3, 2, 1, 1] = 2 4 6 8 10 12
const b: f32[3] = 12 24 36
y = convolution(x, w, b)
output y
)",
         Bits::close);
}

TEST(Scales, per_channel_scales_find_the_columns_of_a_grouped_transposed_convolution) {
  expect("scales", R"(
input x: f32[N, 4, H, W]
const w: f32[4, 2, 1, 1] = 1 2 3 4 5 6 7 8
const s: f32[4, 1, 1] = 1 10 100 1000
c = conv_transpose(x, w) group=2
y = binary(c, s) function=mul
output y
)",
         R"(
input x: f32[N, 4, H, W]
const w: f32[4, 2, 1, 1] = 1 20 3 40 500 6000 700 8000
y = conv_transpose(x, w) group=2
output y
)",
         Bits::close);
}

TEST(Scales, a_row_added_to_a_matmul_becomes_its_bias) {
  expect("scales", R"(
input x: f32[N, W, 2]
const w: f32[2, 3] = 1 2 3 4 5 6
const b: f32[3] = 1 2 3
c = matmul(x, w)
y = binary(b, c) function=add
output y
)",
         R"(
input x: f32[N, W, 2]
const w: f32[2, 3] = 1 2 3 4 5 6
const b: f32[3] = 1 2 3
y = matmul(x, w, b)
output y
)",
         Bits::equal);
}

TEST(Scales, a_scalar_chain_without_weights_becomes_one_affine_function) {
  expect("scales", R"(
input x: f32[N, 2, H, W]
const two: f32[1] = 2
const three: f32[] = 3
const five: f32[] = 5
a = binary(two, x) function=mul
b = binary(a, three) function=sub
y = binary(b, five) function=mul
output y
)",
         R"(
input x: f32[N, 2, H, W]
y = unary(x) function=affine alpha=10 beta=-15
output y
)",
         Bits::close);
}

TEST(Scales, a_convolution_that_another_node_reads_keeps_its_weights) {
  expect("scales", R"(
input x: f32[N, 2, H, W]
const w: f32[2, 2, 1, 1] = 1 2 3 4
const t: f32[2, 1, 1] = 10 20
c = convolution(x, w)
y = binary(c, t) function=add
output y
output c
)",
         R"(
input x: f32[N, 2, H, W]
const w: f32[2, 2, 1, 1] = 1 2 3 4
const t: f32[2, 1, 1] = 10 20
c = convolution(x, w)
y = binary(c, t) function=add
output y
output c
)",
         Bits::equal);
}

TEST(Scales, a_scale_along_another_axis_stays) {
  const std::string text = R"(
input x: f32[N, 2, H, 4]
const w: f32[2, 2, 1, 1] = 1 2 3 4
const s: f32[4] = 1 2 3 4
c = convolution(x, w)
y = binary(c, s) function=mul
output y
)";
  expect("scales", text, text, Bits::equal);
}

TEST(Scales, a_sum_that_rounds_to_integers_keeps_its_steps) {
  // x + 1.5 * 2^23 - 1.5 * 2^23, alone and behind a convolution: what the steps lose is what they are for.
  expect("scales", R"(
input x: f32[N, 3]
const big: f32[] = 12582912
a = binary(x, big) function=add
y = binary(a, big) function=sub
output y
)",
         R"(
input x: f32[N, 3]
a = unary(x) function=affine alpha=1 beta=12582912
y = unary(a) function=affine alpha=1 beta=-12582912
output y
)",
         Bits::equal);
  expect_values("scales", R"(
input x: f32[N, 2, H, W]
const w: f32[3, 2, 1, 1] = 1 2 3 4 5 6
const big: f32[] = 12582912
c = convolution(x, w)
a = binary(c, big) function=add
y = binary(a, big) function=sub
output y
)",
                Bits::equal);
  expect_values("scales", R"(
input x: f32[N, 2, H, W]
const w: f32[3, 2, 1, 1] = 1 2 3 4 5 6
const b: f32[3] = 12582912 12582912 12582912
const big: f32[3, 1, 1] = 12582912 12582912 12582912
c = convolution(x, w, b)
y = binary(c, big) function=sub
output y
)",
                Bits::equal);
}

TEST(Scales, factors_whose_product_has_no_digits_left_stay_apart) {
  // e^80 times 1e-25 twice is 5.5e-16; 1e-50 is 0 in binary32, and 1e-40 has 17 digits of 24.
  for (const char* factor : {"1e-25", "1e-20"})
    expect_values("scales",
                  replace_all(R"(
input x: f32[N, 3]
const c: f32[] = FACTOR
s = unary(x) function=affine alpha=10 beta=45
e = unary(s) function=exp
a = binary(e, c) function=mul
y = binary(a, c) function=mul
output y
)",
                              "FACTOR", factor),
                  Bits::close);
  // The same in the weights of a convolution.
  const std::string text = R"(
input x: f32[N, 2, H, W]
const w: f32[2, 2, 1, 1] = 1e-20 2e-20 3e-20 4e-20
const c: f32[] = 1e-25
y0 = convolution(x, w)
y = binary(y0, c) function=mul
output y
)";
  const Graph g = after("scales", text);
  EXPECT_EQ(g.order().size(), 2u) << print_graph(g);
}

TEST(Scales, channels_that_training_switched_off_do_not_keep_the_others_from_folding) {
  const Graph g = after("scales", R"(
input x: f32[N, 2, H, W]
const w: f32[2, 2, 1, 1] = 1 2 3e-41 4e-41
const c: f32[2, 1, 1] = 3 1e-7
y0 = convolution(x, w)
y = binary(y0, c) function=mul
output y
)");
  EXPECT_EQ(g.order().size(), 1u) << print_graph(g);
}

TEST(Scales, minus_zero_added_to_a_product_changes_nothing) {
  expect("scales", R"(
input x: f32[N, 3]
const two: f32[] = 2
const zero: f32[] = -0
r = unary(x) function=relu
m = unary(r) function=neg
a = binary(m, two) function=mul
y = binary(a, zero) function=add
output y
)",
         R"(
input x: f32[N, 3]
r = unary(x) function=relu
m = unary(r) function=neg
y = unary(m) function=affine alpha=2 beta=-0
output y
)",
         Bits::equal);
}

TEST(Scales, constants_that_enlarge_or_vary_along_two_axes_stay) {
  expect_left("scales", R"(
input x: f32[4, 1]
const s: f32[4] = 1 2 3 4
const t: f32[4, 4] = 1
a = binary(x, s) function=mul
y = binary(a, t) function=add
output y
)");
  expect_left("scales", R"(
input x: f32[2, 3, 4]
const s: f32[3, 4] = 1 2 3 4 5 6 7 8 9 10 11 12
const t: f32[3, 1] = 1 2 3
a = binary(x, s) function=mul
y = binary(a, t) function=add
output y
)");
  expect_left("scales", R"(
input x: f32[3]
const s: f32[1, 1] = 2
y = binary(x, s) function=mul
output y
)");
}

TEST(Scales, a_scale_per_row_is_no_scale_per_column_of_a_square) {
  // As many rows as columns: [4, 1] after a matmul with 4 columns, [4] along the width of a convolution with 4 channels.
  expect_left("scales", R"(
input x: f32[4, 2]
const w: f32[2, 4] = 1 2 3 4 5 6 7 8
const s: f32[4, 1] = 1 2 3 4
c = matmul(x, w)
y = binary(c, s) function=mul
output y
)");
  expect_left("scales", R"(
input x: f32[N, 2, H, 4]
const w: f32[4, 2, 1, 1] = 1 2 3 4 5 6 7 8
const s: f32[4] = 1 2 3 4
c = convolution(x, w)
y = binary(c, s) function=add
output y
)");
  expect_values("scales", R"(
input x: f32[4, 2]
const w: f32[2, 4] = 1 2 3 4 5 6 7 8
const b: f32[4, 1] = 1 2 3 4
const s: f32[4] = 5 6 7 8
c = matmul(x, w, b)
y = binary(c, s) function=mul
output y
)",
                Bits::equal);
}

// floor(w - (w - 400) / 0.75) at w = 160 is 480 step by step, and 479 as floor(w * (1 - 1 / 0.75) + 400 / 0.75).
TEST(Scales, a_chain_that_whole_numbers_are_made_of_stays_step_by_step) {
  const std::string head = R"(
input x: f32[N, W]
const three: f32[] = 3
const five: f32[] = 5
const z: f32[] = 7
)";
  for (const std::string whole : {"y = unary(c) function=floor", "y = cast(c) to=i64", "y = binary(c, z) function=less",
                                  "d = unary(c) function=sqrt\ny = arg_reduce(d) kind=max axis=1"}) {
    SCOPED_TRACE(whole);
    expect("scales",
           head + "a = binary(x, three) function=div\nb = binary(a, five) function=sub\nc = binary(b, three) function=mul\n" + whole +
               "\noutput y\n",
           head +
               "a = binary(x, three) function=div\nb = unary(a) function=affine alpha=1 beta=-5\n"
               "c = unary(b) function=affine alpha=3 beta=-0\n" +
               whole + "\noutput y\n",
           Bits::equal);
  }
}

TEST(Scales, it_still_goes_into_weights_and_before_sums_over_weights) {
  expect("scales", R"(
input x: f32[N, 2, H, W]
const w: f32[1, 2, 1, 1] = 1 2
const two: f32[] = 2
const three: f32[] = 3
a = binary(x, two) function=mul
b = binary(a, three) function=add
c = convolution(b, w)
d = binary(c, two) function=mul
y = unary(d) function=floor
output y
)",
         R"(
input x: f32[N, 2, H, W]
const w: f32[1, 2, 1, 1] = 2 4
b = unary(x) function=affine alpha=2 beta=3
d = convolution(b, w)
y = unary(d) function=floor
output y
)",
         Bits::close);
}

}  // namespace
}  // namespace anydim
