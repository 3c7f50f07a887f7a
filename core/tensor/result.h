// SPDX-License-Identifier: Apache-2.0
// A result that the library places, in memory that the caller returns to ResultMemory at any time.
#pragma once

#include <string_view>

#include "core/base/status.h"
#include "core/base/threads/threads.h"
#include "core/tensor/dims.h"

namespace anydim {

// Whether an output that a caller describes is for the library to place: its dtype says that it is wanted.
inline bool is_requested(const TensorView& t) noexcept { return t.data == nullptr && t.dtype != DType::none; }

// Finds room for a dense tensor of t's dtype and dims whose memory order is `order`. The message names `what()`, a text that is made
// for it alone: a result that is placed costs none. `parallel`: who gets pages that are missing.
bool find_room(const Perm& order, const Parallel& parallel, TensorView* t) noexcept;
Status no_room(std::string_view what, const TensorView& t);
template <class What> Status place_result(const What& what, const Perm& order, const Parallel& parallel, TensorView* t) {
  return find_room(order, parallel, t) ? Status() : no_room(what(), *t);
}

}  // namespace anydim
