// SPDX-License-Identifier: Apache-2.0
// Small questions about actual tensors that kernels, the graph and tests share.
#pragma once

#include "core/tensor/dims.h"

namespace anydim {

// Strides with which `t` is read as if it had dims `out` (NumPy broadcasting: trailing dims aligned, dims of 1 and
// missing leading dims repeat with stride 0). The caller has checked that it broadcasts.
inline Strides broadcast_strides(const TensorView& t, const Dims& out) noexcept {
  Strides s = Strides::filled(out.rank, 0);
  const int shift = out.rank - t.dims.rank;
  for (int i = 0; i < t.dims.rank; ++i)
    if (t.dims[i] != 1) s[i + shift] = t.strides[i];
  return s;
}

// True if `t` can be read as dims `out` by broadcasting without enlarging `out`.
inline bool broadcasts_into(const Dims& t, const Dims& out) noexcept {
  if (t.rank > out.rank) return false;
  for (int i = 0; i < t.rank; ++i)
    if (t[i] != 1 && t[i] != out[i + out.rank - t.rank]) return false;
  return true;
}

// True if the elements lie densely in the memory order `order` (outermost first; dims of 1 do not count).
inline bool is_dense_in(const TensorView& t, const Perm& order) noexcept {
  int64_t step = 1;
  for (int i = order.rank - 1; i >= 0; --i) {
    const int a = order[i];
    if (t.dims[a] != 1 && t.strides[a] != step) return false;
    step *= t.dims[a];
  }
  return true;
}

// True if elements of tensors of the same dims lie in the same order; strides of dims of 1 do not count.
inline bool same_strides(const TensorView& a, const TensorView& b) noexcept {
  for (int i = 0; i < a.dims.rank; ++i)
    if (a.dims[i] > 1 && a.strides[i] != b.strides[i]) return false;
  return true;
}

// Number of elements between the lowest and one past the highest address touched, for strides of any sign;
// 0 if the tensor is empty. `lowest` is the offset of the lowest element (<= 0).
inline int64_t element_span(const Dims& dims, const Strides& strides, int64_t* lowest = nullptr) noexcept {
  int64_t lo = 0, hi = 0;
  for (int i = 0; i < dims.rank; ++i) {
    if (dims[i] == 0) {
      if (lowest) *lowest = 0;
      return 0;
    }
    const int64_t reach = saturating_mul(dims[i] - 1, strides[i]);
    (reach < 0 ? lo : hi) += reach;
  }
  if (lowest) *lowest = lo;
  return hi - lo + 1;
}

}  // namespace anydim
