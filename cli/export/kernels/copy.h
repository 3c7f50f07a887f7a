/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of elements of any size with any strides. */
#ifndef ANYDIM_COPY_H
#define ANYDIM_COPY_H

#include "walk.h"

static inline void copy_line(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t n, int size) {
  int64_t i;
  if (to_step == 1 && from_step == 1) {
    memcpy(to, from, (size_t)(n * size));
    return;
  }
  switch (size) {
    case 1:
      for (i = 0; i < n; ++i) to[i * to_step] = from[i * from_step];
      return;
    case 4:
      for (i = 0; i < n; ++i) memcpy(to + i * to_step * 4, from + i * from_step * 4, 4);
      return;
    case 8:
      for (i = 0; i < n; ++i) memcpy(to + i * to_step * 8, from + i * from_step * 8, 8);
      return;
    default:
      for (i = 0; i < n; ++i) memcpy(to + i * to_step * size, from + i * from_step * size, (size_t)size);
      return;
  }
}

/* x, broadcast, to y. */
static inline void copy_tensor(const anydim_tensor* x, const anydim_tensor* y) {
  anydim_tensor t[2];
  walk w;
  t[0] = *x;
  t[1] = *y;
  if (!walk_begin(&w, t, 2, 1)) return;
  do {
    copy_line(y->data + w.at[1] * y->size, walk_step(&w, 1), x->data + w.at[0] * y->size, walk_step(&w, 0), walk_length(&w), y->size);
  } while (walk_next(&w));
}

#endif
