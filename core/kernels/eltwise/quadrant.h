// SPDX-License-Identifier: Apache-2.0
// Angles modulo a quarter turn, exactly: x * 2/pi by integers with as many bits of 2/pi as the largest number needs (Payne and Hanek's
// method), so that sin, cos and tan have the same error at every magnitude.
#pragma once

namespace anydim {

// x = k * pi/2 + r, |r| <= pi/4, for a finite x >= 2^-16; `quadrant` is k mod 4. To 2^-40 relative or better.
double reduce_to_quadrant(float x, int* quadrant) noexcept;
// The same of a finite x >= 1/2 in binary64: r is the result plus `low`, to 2^-60 relative or better.
double reduce_to_quadrant(double x, int* quadrant, double* low) noexcept;

}  // namespace anydim
