// SPDX-License-Identifier: Apache-2.0
// How a string lies in tensors: its view is an i64, the offset of its first byte in a heap (u8) and its length in bytes. So tensors of
// strings have the dims of their strings, and what moves elements moves strings (docs/decisions/105-strings-are-views.md).
#pragma once

#include <cstdint>
#include <span>

#include "core/base/status.h"
#include "core/ops/op.h"

namespace anydim {

constexpr int kStringLengthBits = 27;
constexpr int64_t kLongestString = (int64_t{1} << kStringLengthBits) - 1;
constexpr int64_t kLargestStringHeap = int64_t{1} << 36;

constexpr int64_t string_view_of(int64_t offset, int64_t length) noexcept { return (offset << kStringLengthBits) | length; }
constexpr int64_t string_offset(int64_t view) noexcept { return view >> kStringLengthBits; }
constexpr int64_t string_length(int64_t view) noexcept { return view & kLongestString; }

// --- shape rules -----------------------------------------------------------------------------------------------------

// Inputs `views` and the next one are views and their heap.
Status check_strings(std::span<const TensorType> in, size_t views);
// Inputs `classes` and the next one are automata (string_match says how they lie in tensors).
Status check_automata(DimPool& pool, std::span<const TensorType> in, size_t classes, bool one);
// Data that makes sense for operators whose inputs are views, their heap, classes, transitions.
ValueRange sensible_strings(std::span<const Dims> in, size_t input) noexcept;
ValueRange sensible_views(const Dims& heap) noexcept;
constexpr ValueRange kSensibleBytes{97, 122};

}  // namespace anydim
