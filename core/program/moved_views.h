// SPDX-License-Identifier: Apache-2.0
// What steps that only move elements make, with the numbers of a run: whether it is a view of what they read, and whether all they do is join.
#pragma once

#include <span>
#include <string_view>

#include "core/dispatch/primitive/primitive.h"

namespace anydim {

// A transpose, slice or reshape that does nothing else.
bool may_make_views(const Primitive& primitive) noexcept;

// What it makes as a view of what it reads: dims and strides of `out`, data within `in`. False: it is no view.
bool view_of_moved(const Operator& op, const TensorView& in, const TensorView& out, std::span<const int64_t> dim_attributes,
                   TensorView* view) noexcept;

// A concat, or the copy of a part that its maker could not write where the concat has it. `type`: of the model's node.
bool joins_only(const Primitive& primitive, std::string_view type) noexcept;

}  // namespace anydim
