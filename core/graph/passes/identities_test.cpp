// SPDX-License-Identifier: Apache-2.0
// Nodes that change nothing go.
#include "core/graph/testing/pass_on_text.h"

namespace anydim {
namespace {

using namespace testing;

TEST(Identities, what_changes_nothing_goes_and_adding_zero_stays) {
  expect("identities", R"(
input x: f32[N, 2, H, W]
const one: f32[1] = 1
const zero: f32[1] = 0
a = binary(one, x) function=mul
b = binary(a, one) function=div
c = binary(b, zero) function=sub
d = unary(c) function=identity
e = transpose(d) perm=0,1,2,3
f = cast(e) to=f32
g = slice(f) starts=[0, 0, 0, 0] lengths=[N, 2, H, W]
h = concat(g) axis=1
y = binary(h, zero) function=add
output y
)",
         R"(
input x: f32[N, 2, H, W]
const zero: f32[1] = 0
y = binary(x, zero) function=add
output y
)",
         Bits::equal);
}

TEST(Identities, integers_plus_zero_are_themselves) {
  expect("identities", R"(
input x: f32[N, 3]
const zero: i64[1] = 0
const one: i64[] = 1
i = cast(x) to=i64
a = binary(i, zero) function=add
b = binary(zero, a) function=add
c = binary(b, one) function=mul
d = binary(c, one) function=add
y = cast(d) to=f32
output y
)",
         R"(
input x: f32[N, 3]
const one: i64[] = 1
i = cast(x) to=i64
d = binary(i, one) function=add
y = cast(d) to=f32
output y
)",
         Bits::equal);
}

TEST(Identities, ones_and_zeros_that_enlarge_what_they_meet_stay) {
  for (const char* body : {
           "const c: f32[1, 1, 1] = 1\ny = binary(x, c) function=mul",
           "const c: f32[5, 1] = 1\ny = binary(c, x) function=mul",
           "const c: f32[2, 1, 3] = 1\ny = binary(x, c) function=div",
           "const c: f32[1, 4, 3] = 0\ny = binary(x, c) function=sub",
       }) {
    const std::string text = "input x: f32[1, 3]\n" + std::string(body) + "\noutput y\n";
    expect_left("identities", text);
    expect_values("identities", text, Bits::equal);
  }
}

TEST(Identities, what_is_nearly_one_or_zero_stays) {
  for (const char* body : {
           "const c: f32[3] = 1 1 0.99999994\ny = binary(x, c) function=mul",
           "const c: f32[] = 1.00000012\ny = binary(x, c) function=div",
           "const c: f32[] = 1\ny = binary(c, x) function=div",
           "const c: f32[] = -0\ny = binary(x, c) function=sub",  // -0 - -0 is +0
           "const c: f32[] = 0\ny = binary(c, x) function=sub",
           "const c: f32[] = 0\ny = binary(x, c) function=add",  // -0 + 0 is +0
           "const c: f32[] = 0\ny = binary(x, c) function=mul",  // not 0 for NaN and infinities
           "y = binary(x, x) function=sub",
           "y = binary(x, x) function=max",
           "y = slice(x) starts=[0, 2] steps=1,-1 lengths=[2, 3]",
           "y = transpose(x) perm=1,0",
       }) {
    const std::string text = "input x: f32[2, 3]\n" + std::string(body) + "\noutput y\n";
    expect_left("identities", text);
    expect_values("identities", text, Bits::equal);
  }
}

}  // namespace
}  // namespace anydim
