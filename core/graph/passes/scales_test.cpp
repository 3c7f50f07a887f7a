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

TEST(Scales, a_convolution_that_somebody_else_reads_keeps_its_weights) {
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

}  // namespace
}  // namespace anydim
