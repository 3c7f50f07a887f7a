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

// How many nodes of a gate on 16-bit floats are left, whose scale has these bits.
size_t nodes_of_a_gate(const char* type, DType dtype, uint16_t three, uint16_t scale) {
  Graph g = parse(formatted(R"(
input x: {0}[N, 8, H, W]
input three: {0}[1]
input scale: {0}[1]
a = binary(x, three) function=add
b = unary(a) function=clip alpha=0 beta=6
c = binary(b, scale) function=mul
y = binary(c, x) function=mul
output y
)",
                            type));
  g.fix_input(2, ConstantTensor::copy(dtype, {1}, &scale));
  g.fix_input(1, ConstantTensor::copy(dtype, {1}, &three));
  EXPECT_TRUE(run_pass(g, "activations").ok());
  EXPECT_TRUE(run_pass(g, "dead_nodes").ok());
  return g.order().size();
}

TEST(Activations, of_16_bit_floats_are_recognised_by_constants_that_are_rounded_to_them) {
  EXPECT_EQ(nodes_of_a_gate("f16", DType::f16, 0x4200, 0x3155), 1U);  // 3 and 1/6
  EXPECT_EQ(nodes_of_a_gate("bf16", DType::bf16, 0x4040, 0x3e2b), 1U);
  EXPECT_EQ(nodes_of_a_gate("f16", DType::f16, 0x4200, 0x3158), 4U);  // 0.167
  EXPECT_EQ(nodes_of_a_gate("f16", DType::f16, 0x4100, 0x3155), 2U);  // 2.5: of the hard sigmoid
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

TEST(Activations, what_is_nearly_an_activation_is_left) {
  const char* texts[] = {
      // hard-swish with another shift, bound, lower bound or factor; of a gate that is taken twice
      "a = binary(x, three) function=add\nb = unary(a) function=clip alpha=0 beta=5\nc = binary(x, b) function=mul\n"
      "y = binary(c, six) function=div",
      "a = binary(x, half) function=add\nb = unary(a) function=clip alpha=0 beta=6\nc = binary(x, b) function=mul\n"
      "y = binary(c, six) function=div",
      "a = binary(x, three) function=add\nb = unary(a) function=clip alpha=-1 beta=6\nc = binary(x, b) function=mul\n"
      "y = binary(c, six) function=div",
      "a = binary(x, three) function=add\nb = unary(a) function=clip alpha=0 beta=6\nc = binary(x, b) function=mul\n"
      "y = binary(c, three) function=div",
      "a = binary(x, three) function=add\nb = unary(a) function=clip alpha=0 beta=6\nc = binary(b, b) function=add\n"
      "y = binary(c, six) function=div",
      "a = binary(three, x) function=sub\nb = unary(a) function=clip alpha=0 beta=6\nc = binary(x, b) function=mul\n"
      "y = binary(c, six) function=div",
      // hard-sigmoid whose shift swamps x
      "a = binary(x, big) function=add\nb = unary(a) function=clip alpha=0 beta=6\ny = binary(b, six) function=div",
      // sigmoid of another value; sigmoid over x; GELU with other constants, another function, without its half
      "a = unary(z) function=sigmoid\ny = binary(x, a) function=mul",
      "a = unary(x) function=sigmoid\ny = binary(x, a) function=div",
      "a = unary(x) function=sigmoid\ny = binary(x, a) function=add",
      "a = binary(x, root) function=div\nb = unary(a) function=tanh\nc = binary(b, one) function=add\n"
      "d = binary(x, c) function=mul\ny = binary(d, half) function=mul",
      "a = binary(x, root) function=mul\nb = unary(a) function=erf\nc = binary(b, one) function=add\n"
      "d = binary(x, c) function=mul\ny = binary(d, half) function=mul",
      "a = binary(x, root) function=div\nb = unary(a) function=erf\nc = binary(b, half) function=add\n"
      "d = binary(x, c) function=mul\ny = binary(d, half) function=mul",
      "a = binary(x, root) function=div\nb = unary(a) function=erf\nc = binary(b, one) function=add\ny = binary(x, c) function=mul",
      "a = binary(x, root) function=div\nb = unary(a) function=erf\nc = binary(one, b) function=sub\n"
      "d = binary(x, c) function=mul\ny = binary(d, half) function=mul",
      // mish of another softplus; x ^ 2 with a power per feature; a product with another value
      "a = unary(z) function=softplus\nb = unary(a) function=tanh\ny = binary(x, b) function=mul",
      "y = binary(x, powers) function=pow",
      "y = binary(x, z) function=mul",
      // a scale below the normal numbers: 0 / 1e-40 is 0, 0 * infinity is not
      "r = unary(x) function=relu\na = binary(r, tiny) function=div\nb = unary(a) function=sigmoid\ny = binary(r, b) function=mul",
  };
  for (const char* body : texts) {
    const std::string text = std::string(R"(
input x: f32[N, 3, W]
input z: f32[N, 3, W]
const half: f32[] = 0.5
const one: f32[] = 1
const three: f32[] = 3
const six: f32[] = 6
const root: f32[] = 1.41421354
const big: f32[] = 10000000
const tiny: f32[] = 1e-40
const powers: f32[3, 1] = 2 2 3
)") + body + "\noutput y\n";
    expect_left("activations", text);
    expect_values("activations", text, Bits::equal);
  }
}

TEST(Activations, a_constant_that_enlarges_keeps_the_steps) {
  const char* texts[] = {
      "a = binary(x, three) function=add\nb = unary(a) function=clip alpha=0 beta=6\nc = binary(x, b) function=mul\n"
      "y = binary(c, six) function=div",
      "y = binary(x, two) function=pow",
      "a = unary(x) function=sigmoid\nb = binary(a, one) function=mul\ny = binary(x, b) function=mul",
  };
  for (const char* body : texts)
    expect_left("activations", std::string(R"(
input x: f32[W]
const one: f32[1, 1] = 1
const two: f32[1, 1] = 2
const three: f32[] = 3
const six: f32[1, 1] = 6
)") + body + "\noutput y\n");
}

TEST(Activations, a_step_that_others_read_stays_beside_the_function) {
  expect("activations", R"(
input x: f32[N, 8, H, W]
a = unary(x) function=sigmoid
y = binary(x, a) function=mul
output y
output a
)",
         R"(
input x: f32[N, 8, H, W]
a = unary(x) function=sigmoid
y = unary(x) function=silu
output y
output a
)",
         Bits::close);
}

}  // namespace
}  // namespace anydim
