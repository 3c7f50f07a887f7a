// SPDX-License-Identifier: Apache-2.0
// Linear and cubic resize of any axes, in any layout, one axis after the other: the last one stretches lines along themselves, each
// before it blends the lines that come of that. Lines are made when the first output position needs them, and stay in a ring.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

KernelList resize_line_forms() noexcept;

}  // namespace anydim
