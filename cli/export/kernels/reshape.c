/* SPDX-License-Identifier: Apache-2.0 */
/* The same elements in row-major order under other dims. */
#include "copy.h"

int anydim_reshape(const void* attributes, const anydim_tensor* t, void* scratch) {
  const anydim_tensor *const x = &t[0], *const y = &t[1];
  int64_t from[ANYDIM_RANK] = {0}, to[ANYDIM_RANK] = {0}, x_at = 0, y_at = 0;
  int i;
  (void)attributes;
  (void)scratch;
  for (i = 0; i < y->rank; ++i)
    if (y->dims[i] == 0) return 0;
  for (;;) {
    const int64_t x_left = x->rank == 0 ? 1 : x->dims[x->rank - 1] - from[x->rank - 1];
    const int64_t y_left = y->rank == 0 ? 1 : y->dims[y->rank - 1] - to[y->rank - 1];
    const int64_t n = x_left < y_left ? x_left : y_left;
    const int64_t x_step = x->rank == 0 ? 1 : x->strides[x->rank - 1], y_step = y->rank == 0 ? 1 : y->strides[y->rank - 1];
    copy_line(y->data + y_at * y->size, y_step, x->data + x_at * y->size, x_step, n, y->size);
    if (x->rank > 0) {
      from[x->rank - 1] += n;
      x_at += n * x_step;
      for (i = x->rank - 1; i >= 0 && from[i] == x->dims[i]; --i) {
        x_at -= from[i] * x->strides[i];
        from[i] = 0;
        if (i > 0) {
          ++from[i - 1];
          x_at += x->strides[i - 1];
        }
      }
    }
    if (y->rank == 0) return 0;
    to[y->rank - 1] += n;
    y_at += n * y_step;
    for (i = y->rank - 1; i >= 0 && to[i] == y->dims[i]; --i) {
      y_at -= to[i] * y->strides[i];
      to[i] = 0;
      if (i == 0) return 0;
      ++to[i - 1];
      y_at += y->strides[i - 1];
    }
  }
  return 0;
}
