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

}  // namespace
}  // namespace anydim
