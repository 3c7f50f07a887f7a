// SPDX-License-Identifier: Apache-2.0
// A result that the library places, in memory that the caller gives back to ResultMemory when he likes.
#pragma once

#include <string_view>

#include "core/base/status.h"
#include "core/tensor/dims.h"

namespace anydim {

// Whether an output that a caller describes is for the library to place: its dtype says that it is wanted.
inline bool asks(const TensorView& t) noexcept { return t.data == nullptr && t.dtype != DType::none; }

// Finds room for a dense tensor of t's dtype and dims whose memory order is `order`. The message names `what`.
Status place_result(std::string_view what, const Perm& order, TensorView* t);

}  // namespace anydim
