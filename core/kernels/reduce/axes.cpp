// SPDX-License-Identifier: Apache-2.0
// Splitting, sorting and merging of axes; see axes.h.
#include "core/kernels/reduce/axes.h"

#include <utility>

namespace anydim {

SplitAxes split_axes(int rank, const int64_t* dims, const int64_t* in_strides, const int64_t* out_strides, uint32_t mask) noexcept {
  SplitAxes s;
  const auto size = [&](int axis) { return in_strides[axis] < 0 ? -in_strides[axis] : in_strides[axis]; };

  // Kept axes by falling input stride, logical order among equals.
  int order[kAxes], kept = 0;
  for (int a = 0; a < rank; ++a) {
    if ((mask >> a & 1) || dims[a] == 1) continue;
    int at = kept++;
    for (; at > 0 && size(order[at - 1]) < size(a); --at) order[at] = order[at - 1];
    order[at] = a;
  }
  // Outermost first; an axis joins the one before it when both sides walk them as one.
  int n = 0;
  int64_t d[kAxes], si[kAxes], so[kAxes];
  for (int i = 0; i < kept; ++i) {
    const int a = order[i];
    if (n > 0 && si[n - 1] == in_strides[a] * dims[a] && so[n - 1] == out_strides[a] * dims[a]) {
      d[n - 1] *= dims[a];
      si[n - 1] = in_strides[a];
      so[n - 1] = out_strides[a];
    } else {
      d[n] = dims[a];
      si[n] = in_strides[a];
      so[n++] = out_strides[a];
    }
  }
  if (n > 0) {
    --n;
    s.width = d[n];
    s.in_stride = si[n];
    s.out_stride = so[n];
  }
  s.outer_rank = n;
  for (int i = 0; i < n; ++i) {
    s.outer_count *= d[i];
    s.outer_dims[i] = d[i];
    s.outer_in[i] = si[i];
    s.outer_out[i] = so[i];
  }

  ReducedAxes& r = s.reduced;
  int m = 0;
  for (int a = 0; a < rank; ++a) {
    if (!(mask >> a & 1)) continue;
    r.count *= dims[a];
    if (dims[a] == 1) continue;
    if (m > 0 && r.in_strides[m - 1] == in_strides[a] * dims[a] && r.out_strides[m - 1] == out_strides[a] * dims[a]) {
      r.dims[m - 1] *= dims[a];
      r.in_strides[m - 1] = in_strides[a];
      r.out_strides[m - 1] = out_strides[a];
    } else {
      r.dims[m] = dims[a];
      r.in_strides[m] = in_strides[a];
      r.out_strides[m++] = out_strides[a];
    }
  }
  r.rank = m > 0 ? m : 1;
  return s;
}

void sort_by_memory(ReducedAxes* r) noexcept {
  const auto size = [&](int i) { return r->in_strides[i] < 0 ? -r->in_strides[i] : r->in_strides[i]; };
  for (int i = 1; i < r->rank; ++i)
    for (int k = i; k > 0 && size(k - 1) < size(k); --k) {
      std::swap(r->dims[k - 1], r->dims[k]);
      std::swap(r->in_strides[k - 1], r->in_strides[k]);
    }
  int n = 0;
  for (int i = 1; i < r->rank; ++i) {
    if (r->in_strides[n] == r->in_strides[i] * r->dims[i]) {
      r->dims[n] *= r->dims[i];
      r->in_strides[n] = r->in_strides[i];
    } else {
      r->dims[++n] = r->dims[i];
      r->in_strides[n] = r->in_strides[i];
    }
  }
  r->rank = n + 1;
}

}  // namespace anydim
