/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of another dtype. Operands: x, y. */
#include "convert.h"
#include "walk.h"

int anydim_cast(const void* attributes, const anydim_tensor* t, void* scratch) {
  const anydim_cast_attributes* const at = (const anydim_cast_attributes*)attributes;
  walk w;
  (void)scratch;
  if (!walk_begin(&w, t, 2, 1)) return 0;
  do {
    int64_t i;
    for (i = 0; i < walk_length(&w); ++i) {
      const char* const from = t[0].data + (w.at[0] + i * walk_step(&w, 0)) * t[0].size;
      char* const to = t[1].data + (w.at[1] + i * walk_step(&w, 1)) * t[1].size;
      if (at->from == ANYDIM_f32) {
        float v;
        memcpy(&v, from, 4);
        from_real(at->to, to, v);
      } else {
        from_whole(at->to, to, to_whole(at->from, from));
      }
    }
  } while (walk_next(&w));
  return 0;
}
