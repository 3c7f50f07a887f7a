// SPDX-License-Identifier: Apache-2.0
// Layer normalisation written as means becomes one operator.
#include "core/graph/testing/pass_on_text.h"

namespace anydim {
namespace {

using namespace testing;

TEST(LayerNormPass, means_with_power_root_and_division_are_recognised) {
  expect("layer_norm", R"(
input x: f32[N, W, 6]
const two: f32[] = 2
const eps: f32[] = 1e-05
const gamma: f32[6] = 1 2 3 4 5 6
const beta: f32[6] = 6 5 4 3 2 1
m = reduce(x) kind=mean axes=-1
d = binary(x, m) function=sub
p = binary(d, two) function=pow
v = reduce(p) kind=mean axes=-1
e = binary(v, eps) function=add
s = unary(e) function=sqrt
q = binary(d, s) function=div
r = binary(q, gamma) function=mul
y = binary(r, beta) function=add
output y
)",
         R"(
input x: f32[N, W, 6]
const gamma: f32[6] = 1 2 3 4 5 6
const beta: f32[6] = 6 5 4 3 2 1
y = layer_norm(x, gamma, beta) axis=-1 epsilon=9.99999975e-06
output y
)",
         Bits::close);
}

TEST(LayerNormPass, a_square_by_multiplication_and_a_reciprocal_root_are_recognised) {
  expect("layer_norm", R"(
input x: f32[N, 3, 6]
const eps: f32[] = 1e-05
m = reduce(x) kind=mean axes=1,2
d = binary(x, m) function=sub
p = binary(d, d) function=mul
v = reduce(p) kind=mean axes=1,2
e = binary(eps, v) function=add
s = unary(e) function=sqrt
i = unary(s) function=reciprocal
y = binary(d, i) function=mul
output y
)",
         R"(
input x: f32[N, 3, 6]
y = layer_norm(x) axis=-2 epsilon=9.99999975e-06
output y
)",
         Bits::close);
}

TEST(LayerNormPass, means_over_leading_axes_are_left) {
  const std::string text = R"(
input x: f32[N, 3, 6]
const eps: f32[] = 1e-05
m = reduce(x) kind=mean axes=1
d = binary(x, m) function=sub
p = binary(d, d) function=mul
v = reduce(p) kind=mean axes=1
e = binary(v, eps) function=add
s = unary(e) function=sqrt
y = binary(d, s) function=div
output y
)";
  expect("layer_norm", text, text, Bits::equal);
}

}  // namespace
}  // namespace anydim
