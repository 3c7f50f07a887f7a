// SPDX-License-Identifier: Apache-2.0
// Nodes of constants are computed at load.
#include "core/graph/testing/pass_on_text.h"

namespace anydim {
namespace {

using namespace testing;

TEST(Constants, nodes_of_constants_are_computed) {
  expect("constants", R"(
input x: f32[N, 2]
const a: f32[2] = 1 2
const b: f32[1, 2] = 10 20
c = binary(a, b) function=add
d = reshape(c) dims=[2]
y = binary(x, d) function=mul
output y
)",
         R"(
input x: f32[N, 2]
const d: f32[2] = 11 22
y = binary(x, d) function=mul
output y
)",
         Bits::equal);
}

}  // namespace
}  // namespace anydim
