// SPDX-License-Identifier: Apache-2.0
// Nodes that compute the same become one.
#include "core/graph/testing/pass_on_text.h"

namespace anydim {
namespace {

using namespace testing;

TEST(EqualNodes, the_same_computation_is_done_once) {
  expect("equal_nodes", R"(
input x: f32[N, 2]
const a: f32[] = 2
const b: f32[] = 2
p = binary(x, a) function=mul
q = binary(x, b) function=mul
r = binary(b, x) function=mul
y = binary(p, q) function=add
z = binary(y, r) function=add
output z
)",
         R"(
input x: f32[N, 2]
const a: f32[] = 2
p = binary(x, a) function=mul
r = binary(a, x) function=mul
y = binary(p, p) function=add
z = binary(y, r) function=add
output z
)",
         Bits::equal);
}

TEST(EqualNodes, what_reads_the_same_and_differs_in_attributes_post_ops_or_a_zeros_sign_stays) {
  const char* const graph = R"(
input x: f32[N, 9]
a = slice(x) starts=[0, 0] lengths=[N, 3]
b = slice(x) starts=[0, 3] lengths=[N, 3]
c = slice(x) starts=[0, 6] lengths=[N, 3]
d = unary(x) function=clip alpha=0 beta=6
e = unary(x) function=clip alpha=-0 beta=6
f = unary(x) function=exp | relu
g = unary(x) function=exp
h = concat(a, b, c, d, e, f, g) axis=1
output h
)";
  expect("equal_nodes", graph, graph, Bits::equal);
}

TEST(EqualNodes, the_third_of_a_kind_is_found_among_others) {
  expect("equal_nodes", R"(
input x: f32[N, 9]
a = slice(x) starts=[0, 0] lengths=[N, 3]
b = slice(x) starts=[0, 3] lengths=[N, 3]
c = slice(x) starts=[0, 0] lengths=[N, 3]
d = slice(x) starts=[0, 3] lengths=[N, 3]
h = concat(a, b, c, d) axis=1
output h
)",
         R"(
input x: f32[N, 9]
a = slice(x) starts=[0, 0] lengths=[N, 3]
b = slice(x) starts=[0, 3] lengths=[N, 3]
h = concat(a, b, a, b) axis=1
output h
)",
         Bits::equal);
}

}  // namespace
}  // namespace anydim
