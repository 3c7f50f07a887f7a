// SPDX-License-Identifier: Apache-2.0
// The checks that shape rules begin with: how many inputs, of which dtype and rank. Messages name the input.
#pragma once

#include <span>

#include "core/base/status.h"
#include "core/tensor/dim.h"

namespace anydim {

inline Status check_inputs(std::span<const TensorType> in, size_t least, size_t most) {
  if (in.size() < least || in.size() > most)
    return least == most ? invalid("{} inputs; expected {}", in.size(), least)
                         : invalid("{} inputs; expected {} to {}", in.size(), least, most);
  for (size_t i = 0; i < least; ++i)
    if (in[i].dtype == DType::none) return invalid("input {} is absent; it is not optional", i);
  return {};
}

inline Status check_rank(const TensorType& t, int index, int least, int most) {
  if (t.dims.rank < least || t.dims.rank > most)
    return least == most ? invalid("input {} has rank {}; expected {}", index, t.dims.rank, least)
                         : invalid("input {} has rank {}; expected {} to {}", index, t.dims.rank, least, most);
  return {};
}

inline Status check_index_dtype(const TensorType& t, int index) {
  if (t.dtype != DType::i64 && t.dtype != DType::i32)
    return invalid("input {} has dtype {}; indices are i64 or i32", index, dtype_name(t.dtype));
  return {};
}

// Dims that must agree. Numbers are compared here; where a symbol is involved the graph adds a guard and the kernel
// sees equal numbers.
inline Status check_same_dim(Dim found, Dim expected, int input, int axis) {
  if (found.is_number() && expected.is_number() && !(found == expected))
    return invalid("input {} dim {} is {}; expected {}", input, axis, found.number(), expected.number());
  return {};
}

inline bool all_numbers(const SymDims& d) noexcept {
  for (Dim v : d)
    if (!v.is_number()) return false;
  return true;
}

// False if the product does not fit. Only for all_numbers().
inline bool product(const SymDims& d, int64_t* out) noexcept {
  *out = 1;
  for (Dim v : d)
    if (v.is(0)) return *out = 0, true;
  for (Dim v : d)
    if (!checked_mul(*out, v.number(), out)) return false;
  return true;
}

}  // namespace anydim
