/* SPDX-License-Identifier: Apache-2.0 */
/* condition ? a : b, of elements of any size. Operands: condition, a, b, y. */
#include "walk.h"

int anydim_where(const void* attributes, const anydim_tensor* t, void* scratch) {
  const int size = t[3].size;
  walk w;
  (void)attributes;
  (void)scratch;
  if (!walk_begin(&w, t, 4, 3)) return 0;
  do {
    int64_t i;
    for (i = 0; i < walk_length(&w); ++i) {
      const int which = t[0].data[w.at[0] + i * walk_step(&w, 0)] != 0 ? 1 : 2;
      memcpy(t[3].data + (w.at[3] + i * walk_step(&w, 3)) * size, t[which].data + (w.at[which] + i * walk_step(&w, which)) * size,
             (size_t)size);
    }
  } while (walk_next(&w));
  return 0;
}
