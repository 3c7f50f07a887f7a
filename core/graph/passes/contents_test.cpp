// SPDX-License-Identifier: Apache-2.0
// Integers known from shapes replace what computed them.
#include "core/graph/testing/pass_on_text.h"

namespace anydim {
namespace {

using namespace testing;

TEST(Contents, shape_arithmetic_becomes_one_shape_tensor_or_a_constant) {
  Graph g = after("contents", R"(
input x: f32[N, 3, H, W]
const two: i64[1] = 2
const first: i64[] = 0
shape = shape_tensor() values=[N, 3, H, W]
hw = slice(shape) starts=[2] lengths=[2]
twice = binary(hw, two) function=mul
n = gather(shape, first)
c = slice(shape) starts=[1] lengths=[1]
output twice
output n
output c
)");
  EXPECT_EQ(print_graph(g, true), print_graph(parse(R"(
input x: f32[N, 3, H, W]
const c: i64[1] = 3
a = shape_tensor() values=[2*H, 2*W]
b = shape_tensor() values=[N] scalar=1
output a as twice
output b as n
output c
)"),
                                              true))
      << print_graph(g);
}

TEST(Contents, what_comes_from_the_data_of_an_input_is_left_to_its_operators) {
  const std::string text = R"(
input x: i64[3]
y = binary(x, x) function=mul
output y
)";
  EXPECT_EQ(print_graph(after("contents", text), true), print_graph(parse(text), true));
}

}  // namespace
}  // namespace anydim
