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

}  // namespace
}  // namespace anydim
