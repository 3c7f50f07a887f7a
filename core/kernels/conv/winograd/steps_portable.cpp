// SPDX-License-Identifier: Apache-2.0
// Winograd's transforms, portable: the body is steps.inl.h.
namespace anydim::portable {
namespace {

constexpr int kUnroll = 1;

}  // namespace
}  // namespace anydim::portable

#include "core/kernels/conv/winograd/steps.inl.h"

namespace anydim {

constinit const WinogradSteps WinogradSteps::portable = {portable::transform, portable::transform_weights, portable::add_rows,
                                                         portable::finish};

}  // namespace anydim
