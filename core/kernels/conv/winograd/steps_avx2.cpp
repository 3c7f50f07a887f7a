// SPDX-License-Identifier: Apache-2.0
// Winograd's transforms, avx2: the body is steps.inl.h.
namespace anydim::avx2 {
namespace {

constexpr int kUnroll = 16;

}  // namespace
}  // namespace anydim::avx2

#include "core/kernels/conv/winograd/steps.inl.h"

namespace anydim {

constinit const WinogradSteps WinogradSteps::avx2 = {avx2::transform, avx2::transform_weights, avx2::add_rows, avx2::finish};

}  // namespace anydim
