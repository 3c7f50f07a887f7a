// SPDX-License-Identifier: Apache-2.0
// Strides and memory orders of values whose dims are symbolic: what dense, transposed, sliced and reshaped memory
// looks like before any number is known. A run evaluates the resulting expressions with the other slots.
#pragma once

#include <optional>

#include "core/tensor/dim.h"
#include "core/tensor/dims.h"

namespace anydim {

// Where a value lies in its buffer, in elements.
struct SymView {
  Dim offset = 0;
  SymDims strides;
};

Dim element_count(DimPool& pool, const SymDims& dims);

// Dense memory in `order` (outermost first; empty = row-major).
SymView dense_view(DimPool& pool, const SymDims& dims, const Perm& order);

// Output axis i is input axis perm[i].
SymView transposed_view(const SymView& in, const Perm& perm);
Perm inverse(const Perm& perm);

// Elements start[a] + step[a] * i of each axis.
SymView sliced_view(DimPool& pool, const SymView& in, int axis, Dim start, int64_t step);

// The same elements in logical row-major order under other dims, if no copy is needed whatever the symbols are.
std::optional<SymView> reshaped_view(DimPool& pool, const SymDims& from, const SymView& view, const SymDims& to);

// --- orders: coarser than strides, what the layout pass votes on ----------------------------------------------------
Perm row_major(int rank);
// `order` without the axes that are 1 whatever the symbols are: two orders with the same core are the same memory.
Perm order_core(const SymDims& dims, const Perm& order);
bool same_order(const SymDims& dims, const Perm& a, const Perm& b);
// The order of transpose(perm)'s output that makes it a view of an input in `order`.
Perm transposed_order(const Perm& order, const Perm& perm);
// The order of a reshape's output that makes it a view of a dense input in `order`; none if it must copy.
std::optional<Perm> reshaped_order(DimPool& pool, const SymDims& from, const Perm& order, const SymDims& to);

}  // namespace anydim
