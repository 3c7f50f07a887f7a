// SPDX-License-Identifier: Apache-2.0
// Winograd's transforms, avx512: the body is steps.inl.h.
namespace anydim::avx512 {
namespace {

constexpr int kUnroll = 16;

}  // namespace
}  // namespace anydim::avx512

#include "core/kernels/conv/winograd/steps.inl.h"

namespace anydim {

constinit const WinogradSteps WinogradSteps::avx512 = {avx512::transform, avx512::transform_weights, avx512::add_rows, avx512::finish};

}  // namespace anydim
