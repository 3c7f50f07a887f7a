// SPDX-License-Identifier: Apache-2.0
// Written-out activations become one function.
#include "core/graph/testing/pass_on_text.h"

namespace anydim {
namespace {

using namespace testing;

constexpr const char* kHardSwish = R"(
input x: f32[N, 8, H, W]
y = unary(x) function=hard_swish
output y
)";

TEST(Activations, hard_swish_as_product_over_six_is_recognised) {
  expect("activations", R"(
input x: f32[N, 8, H, W]
const three: f32[] = 3
const six: f32[1] = 6
a = binary(x, three) function=add
b = unary(a) function=clip alpha=0 beta=6
c = binary(x, b) function=mul
y = binary(c, six) function=div
output y
)",
         kHardSwish, Bits::close);
}

TEST(Activations, hard_swish_as_gate_is_recognised) {
  expect("activations", R"(
input x: f32[N, 8, H, W]
const three: f32[] = 3
const sixth: f32[] = 0.166666667
a = binary(three, x) function=add
b = unary(a) function=clip alpha=0 beta=6
c = binary(b, sixth) function=mul
y = binary(c, x) function=mul
output y
)",
         kHardSwish, Bits::close);
  expect("activations", R"(
input x: f32[N, 8, H, W]
a = unary(x) function=hard_sigmoid alpha=0.166666667 beta=0.5
y = binary(x, a) function=mul
output y
)",
         kHardSwish, Bits::close);
}

TEST(Activations, a_clip_of_another_value_is_no_hard_swish) {
  const std::string text = R"(
input x: f32[N, 8, H, W]
input z: f32[N, 8, H, W]
const three: f32[] = 3
const six: f32[] = 6
a = binary(z, three) function=add
b = unary(a) function=clip alpha=0 beta=6
c = binary(x, b) function=mul
y = binary(c, six) function=div
output y
)";
  expect("activations", text, text, Bits::equal);
}

TEST(Activations, a_constant_that_enlarges_is_no_hard_swish) {
  const std::string text = R"(
input x: f32[8]
const three: f32[1, 1] = 3
const six: f32[] = 6
a = binary(x, three) function=add
b = unary(a) function=clip alpha=0 beta=6
c = binary(x, b) function=mul
y = binary(c, six) function=div
output y
)";
  expect("activations", text, text, Bits::equal);
}

TEST(Activations, hard_sigmoid_silu_quick_gelu_and_square_are_recognised) {
  expect("activations", R"(
input x: f32[N, W]
const three: f32[] = 3
const six: f32[] = 6
const slope: f32[] = 1.702
a = binary(x, three) function=add
b = unary(a) function=clip alpha=0 beta=6
p = binary(b, six) function=div
s = unary(x) function=sigmoid
q = binary(s, x) function=mul
t = binary(x, slope) function=mul
u = unary(t) function=sigmoid
r = binary(x, u) function=mul
w = binary(x, x) function=mul
output p
output q
output r
output w
)",
         R"(
input x: f32[N, W]
p = unary(x) function=hard_sigmoid alpha=0.166666672 beta=0.5
q = unary(x) function=silu
r = unary(x) function=quick_gelu alpha=1.702
w = unary(x) function=square
output p
output q
output r
output w
)",
         Bits::close);
}

TEST(Activations, gelu_by_erf_and_by_tanh_are_recognised) {
  expect("activations", R"(
input x: f32[N, W]
const root2: f32[] = 1.41421354
const one: f32[] = 1
const half: f32[] = 0.5
a = binary(x, root2) function=div
b = unary(a) function=erf
c = binary(b, one) function=add
d = binary(x, c) function=mul
y = binary(d, half) function=mul
output y
)",
         "input x: f32[N, W]\ny = unary(x) function=gelu_erf\noutput y\n", Bits::close);
  expect("activations", R"(
input x: f32[N, W]
const k: f32[] = 0.797884583
const small: f32[] = 0.044715
const one: f32[] = 1
const three: f32[] = 3
const half: f32[] = 0.5
a = binary(x, three) function=pow
b = binary(a, small) function=mul
c = binary(x, b) function=add
d = binary(c, k) function=mul
e = unary(d) function=tanh
f = binary(e, one) function=add
g = binary(x, half) function=mul
y = binary(g, f) function=mul
output y
)",
         "input x: f32[N, W]\ny = unary(x) function=gelu_tanh\noutput y\n", Bits::close);
}

}  // namespace
}  // namespace anydim
