// SPDX-License-Identifier: Apache-2.0
// The movers one element at a time, straight from their definitions: the truth for tests, and the way out for boxes
// that no strided copy describes.
#pragma once

#include "core/kernels/kernel.h"
#include "core/ops/operators/pad.h"

namespace anydim {

Status reference_transpose(const Args& args) noexcept;
Status reference_reshape(const Args& args) noexcept;
Status reference_expand(const Args& args) noexcept;
Status reference_slice(const Args& args) noexcept;
Status reference_concat(const Args& args) noexcept;
Status reference_pad(const Args& args) noexcept;
Status reference_tile(const Args& args) noexcept;
Status reference_depth_to_space(const Args& args) noexcept;

// Which of n elements stands at `place` (0..n-1 is the inside, the rest are pads), for the modes but constant.
int64_t pad_source(Pad::Mode mode, int64_t place, int64_t n) noexcept;

}  // namespace anydim
