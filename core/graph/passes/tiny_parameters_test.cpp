// SPDX-License-Identifier: Apache-2.0
// Parameters below 2^-100 become zeros beside such of 2^-60 or more; other tiny constants stay.
#include "core/graph/testing/pass_on_text.h"

namespace anydim {
namespace {

using namespace testing;

TEST(TinyParameters, weights_and_biases_become_zeros_of_their_sign) {
  expect("tiny_parameters", R"(
input x: f32[N, 2, H, W]
const w: f32[3, 2, 1, 1] = 1 1e-40 -7.8e-31 4 8e-31 6
const b: f32[3] = 1 1e-39 3
y = convolution(x, w, b)
output y
)",
         R"(
input x: f32[N, 2, H, W]
const w: f32[3, 2, 1, 1] = 1 0 -0 4 8e-31 6
const b: f32[3] = 1 0 3
y = convolution(x, w, b)
output y
)",
         Bits::close);
}

TEST(TinyParameters, rows_that_are_added_or_multiplied_are_parameters) {
  expect("tiny_parameters", R"(
input x: f32[N, 3]
const s: f32[3] = 1 1e-40 2
const t: f32[3] = 1e-40 1 2
z = binary(x, s) function=mul
y = binary(t, z) function=sub
output y
)",
         R"(
input x: f32[N, 3]
const s: f32[3] = 1 0 2
const t: f32[3] = 0 1 2
z = binary(x, s) function=mul
y = binary(t, z) function=sub
output y
)",
         Bits::close);
}

TEST(TinyParameters, a_lone_tiny_number_and_other_functions_keep_theirs) {
  expect_left("tiny_parameters", R"(
input x: f32[N, 3]
const e: f32[1] = 1e-40
const d: f32[3] = 1e-40 1 2
z = binary(x, e) function=add
u = binary(z, d) function=div
y = binary(u, d) function=max
output y
)");
}

TEST(TinyParameters, a_row_of_nothing_but_tiny_numbers_may_keep_divisors_from_zero) {
  expect_left("tiny_parameters", R"(
input x: f32[N, 3]
input z: f32[N, 3]
const e: f32[3] = 1e-40 0 1e-40
u = binary(z, e) function=add
y = binary(x, u) function=div
output y
)");
}

TEST(TinyParameters, a_matrix_of_small_numbers_keeps_those_below_them) {
  expect_left("tiny_parameters", R"(
input x: f32[N, 2]
const w: f32[2, 2] = 2.4e-30 -6e-31 3.9e-30 4e-31
y = matmul(x, w)
output y
)");
}

TEST(TinyParameters, who_else_reads_a_constant_reads_it_as_it_is) {
  expect("tiny_parameters", R"(
input x: f32[N, 3]
const d: f32[3] = 1e-40 1 2
z = binary(x, d) function=mul
y = binary(z, d) function=max
output y
)",
         R"(
input x: f32[N, 3]
const d: f32[3] = 0 1 2
const d_1: f32[3] = 1e-40 1 2
z = binary(x, d) function=mul
y = binary(z, d_1) function=max
output y
)",
         Bits::close);
}

}  // namespace
}  // namespace anydim
