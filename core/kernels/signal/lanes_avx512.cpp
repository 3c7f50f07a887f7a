// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of 8 lines at once with AVX-512: the body is lanes.inl.h.
#include "core/kernels/signal/transform.h"

namespace anydim {
namespace {
constexpr int kLanes = 8;
// The number of lanes first.
#include "core/kernels/signal/lanes.inl.h"
}  // namespace

void transform_lanes_avx512(const double* from, double* to, int64_t n, const Complex* w, bool inverse, double* room) noexcept {
  transform_lanes(from, to, n, w, inverse, room);
}

}  // namespace anydim
