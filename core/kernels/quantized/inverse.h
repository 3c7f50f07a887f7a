// SPDX-License-Identifier: Apache-2.0
// Numbers of 8 bits are y / scale, rounded. A product with 1 / scale rounds to the same number unless it lies next to a half, and is done
// in a fifth of the time: kernels multiply, and divide where one of a vector's products does.
//
// With u = 2^-24: the product has a relative error below 3 u against the quotient before its rounding, which adds u. So below 2^9 the two
// are less than 2^-13 apart; above that both are saturated, as zero points have 9 bits at most.
#pragma once

namespace anydim {

// Neither 1 / scale nor a product with it that matters is infinite, denormal or NaN.
constexpr bool has_inverse(float scale) noexcept { return scale >= 0x1p-100f && scale <= 0x1p100f; }
// A product this far from the next whole number may round otherwise than the quotient.
constexpr float kNextToHalf = 0.5f - 0x1p-12f;

}  // namespace anydim
