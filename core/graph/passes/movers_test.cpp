// SPDX-License-Identifier: Apache-2.0
// Transposes and reshapes that follow each other are merged.
#include "core/graph/testing/pass_on_text.h"

namespace anydim {
namespace {

using namespace testing;

TEST(Movers, opposite_transposes_and_repeated_reshapes_vanish) {
  Graph g = parse(R"(
input x: f32[N, 2, H, W]
a = transpose(x) perm=0,2,3,1
b = transpose(a) perm=0,3,1,2
c = reshape(b) dims=[N, 2, H*W]
d = reshape(c) dims=[N, 2, H, W]
y = unary(d) function=relu
output y
)");
  ASSERT_TRUE(run_pass(g, "movers").ok());
  ASSERT_TRUE(run_pass(g, "identities").ok());
  ASSERT_TRUE(run_pass(g, "dead_nodes").ok());
  EXPECT_EQ(print_graph(g, true), print_graph(parse(R"(
input x: f32[N, 2, H, W]
y = unary(x) function=relu
output y
)"),
                                              true));
}

TEST(Movers, a_transpose_of_axes_of_size_one_is_a_reshape) {
  expect("movers", R"(
input x: f32[N, 1, H, 6]
y = transpose(x) perm=0,2,1,3
output y
)",
         R"(
input x: f32[N, 1, H, 6]
y = reshape(x) dims=[N, H, 1, 6]
output y
)",
         Bits::equal);
}

TEST(Movers, a_matmul_reads_its_transposed_operand_as_it_lies) {
  expect("movers", R"(
input q: f32[N, 2, W, 4]
input k: f32[N, 2, W, 4]
t = transpose(k) perm=0,1,3,2
y = matmul(q, t)
output y
)",
         R"(
input q: f32[N, 2, W, 4]
input k: f32[N, 2, W, 4]
y = matmul(q, k) transpose_b=1
output y
)",
         Bits::equal);
}

TEST(Movers, picking_one_index_is_a_slice) {
  expect("movers", R"(
input x: f32[N, 3, W]
const i: i64[] = -1
y = gather(x, i) axis=1
output y
)",
         R"(
input x: f32[N, 3, W]
s = slice(x) starts=[0, 2, 0] lengths=[N, 1, W]
y = reshape(s) dims=[N, W]
output y
)",
         Bits::equal);
}

TEST(Movers, a_constant_that_was_expanded_meets_what_is_not) {
  expect("movers", R"(
input x: f32[N, 1]
input r: f32[N, 8]
const c: f32[1] = 3
w = expand(c) dims=[N, 8]
a = binary(x, w) function=sub
y = binary(a, r) function=mul
output y
)",
         R"(
input x: f32[N, 1]
input r: f32[N, 8]
const c: f32[1] = 3
s = binary(x, c) function=sub
a = expand(s) dims=[N, 8]
y = binary(a, r) function=mul
output y
)",
         Bits::equal);
}

}  // namespace
}  // namespace anydim
