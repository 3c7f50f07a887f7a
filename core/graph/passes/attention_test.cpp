// SPDX-License-Identifier: Apache-2.0
// Attention written as products around a softmax becomes one operator, with the same bits.
#include "core/graph/testing/pass_on_text.h"

namespace anydim {
namespace {

using namespace testing;

TEST(AttentionPass, products_a_quotient_and_a_softmax_are_recognised) {
  // As BERT's exporters write it: keys turned where heads are split.
  expect("attention", R"(
input x: f32[N, H, 3, 16]
input y: f32[N, W, 3, 16]
input v: f32[N, 3, W, 9]
const root: f32[] = 4
q = transpose(x) perm=0,2,1,3
k = transpose(y) perm=0,2,3,1
s = matmul(q, k)
t = binary(s, root) function=div
w = softmax(t) axis=-1
z = matmul(w, v)
output z
)",
         R"(
input x: f32[N, H, 3, 16]
input y: f32[N, W, 3, 16]
input v: f32[N, 3, W, 9]
q = transpose(x) perm=0,2,1,3
k = transpose(y) perm=0,2,1,3
z = attention(q, k, v) scale=0.25
output z
)",
         Bits::equal);
}

TEST(AttentionPass, a_factor_and_a_bias_are_recognised) {
  expect("attention", R"(
input q: f32[N, 4, H, 24]
input k: f32[N, 4, W, 24]
input v: f32[N, 4, W, 24]
input mask: f32[N, 1, 1, W]
const factor: f32[] = 0.204124
s = matmul(q, k) transpose_b=1
t = binary(s, factor) function=mul
b = binary(mask, t) function=add
w = softmax(b) axis=3
z = matmul(w, v)
output z
)",
         R"(
input q: f32[N, 4, H, 24]
input k: f32[N, 4, W, 24]
input v: f32[N, 4, W, 24]
input mask: f32[N, 1, 1, W]
z = attention(q, k, v, mask) scale=0.204124
output z
)",
         Bits::equal);
}

TEST(AttentionPass, factors_before_the_product_stay_there) {
  expect("attention", R"(
input q: f32[N, 4, H, 140]
input k: f32[N, 4, 140, W]
input v: f32[N, 4, W, 24]
const factor: f32[] = 0.3
a = binary(q, factor) function=mul
s = matmul(a, k)
w = softmax(s) axis=-1
z = matmul(w, v)
output z
)",
         R"(
input q: f32[N, 4, H, 140]
input k: f32[N, 4, 140, W]
input v: f32[N, 4, W, 24]
const factor: f32[] = 0.3
a = binary(q, factor) function=mul
t = transpose(k) perm=0,1,3,2
z = attention(a, t, v)
output z
)",
         Bits::equal);
}

TEST(AttentionPass, a_division_that_is_not_exact_is_one_by_the_reciprocal) {
  expect("attention", R"(
input q: f32[N, 4, H, 24]
input k: f32[N, 4, W, 24]
input v: f32[N, 4, W, 24]
const root: f32[] = 5
s = matmul(q, k) transpose_b=1
t = binary(s, root) function=div
w = softmax(t) axis=-1
z = matmul(w, v)
output z
)",
         R"(
input q: f32[N, 4, H, 24]
input k: f32[N, 4, W, 24]
input v: f32[N, 4, W, 24]
z = attention(q, k, v) scale=0.2
output z
)",
         Bits::close);
}

TEST(AttentionPass, what_else_reads_scores_or_weights_keeps_them) {
  for (const char* read : {"s", "t", "w"})
    expect_left("attention", replace_all(R"(
input q: f32[N, 4, H, 24]
input k: f32[N, 4, W, 24]
input v: f32[N, 4, W, 24]
const root: f32[] = 4
s = matmul(q, k) transpose_b=1
t = binary(s, root) function=div
w = softmax(t) axis=-1
z = matmul(w, v)
output z
output READ
)",
                                         "READ", read));
}

TEST(AttentionPass, other_softmaxes_and_heads_that_are_broadcast_or_none_are_left) {
  for (const char* changed : {"axis=2", "axis=-1 log=1"})
    expect_left("attention", replace_all(R"(
input q: f32[N, 4, H, 24]
input k: f32[N, 4, W, 24]
input v: f32[N, 4, W, 24]
s = matmul(q, k) transpose_b=1
w = softmax(s) AXIS
z = matmul(w, v)
output z
)",
                                         "AXIS", changed));
  expect_left("attention", R"(
input q: f32[N, 4, H, 24]
input k: f32[N, 1, W, 24]
input v: f32[N, 1, W, 24]
s = matmul(q, k) transpose_b=1
w = softmax(s) axis=-1
z = matmul(w, v)
output z
)");
  expect_left("attention", R"(
input q: f32[N, 0, H, 24]
input k: f32[N, 0, W, 24]
input v: f32[N, 0, W, 24]
s = matmul(q, k) transpose_b=1
w = softmax(s) axis=-1
z = matmul(w, v)
output z
)");
  // A bias that enlarges the scores.
  expect_left("attention", R"(
input q: f32[1, 4, H, 24]
input k: f32[1, 4, W, 24]
input v: f32[1, 4, W, 24]
input b: f32[N, 4, H, W]
s = matmul(q, k) transpose_b=1
t = binary(s, b) function=add
w = softmax(t) axis=-1
z = matmul(w, v)
output z
)");
}

}  // namespace
}  // namespace anydim
