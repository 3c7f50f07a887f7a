/* SPDX-License-Identifier: Apache-2.0 */
/* Elements added before and after each axis, or cut off. Operands: x, the value of constant mode (or nothing), y, the counts before. */
#include "copy.h"

/* Which element of x stands at place `o` of the axis; -1: none. */
static int64_t pad_source(int mode, int64_t o, int64_t n) {
  if (o >= 0 && o < n) return o;
  if (mode == 0 || n == 0) return -1;
  if (mode == 2) return o < 0 ? 0 : n - 1;
  if (mode == 3) return (o % n + n) % n;
  if (n == 1) return 0;
  o = (o < 0 ? -o : o) % (2 * (n - 1));
  return o < n ? o : 2 * (n - 1) - o;
}

int anydim_pad(const void* attributes, const anydim_tensor* t, void* scratch) {
  const anydim_pad_attributes* const at = (const anydim_pad_attributes*)attributes;
  const anydim_tensor *const x = &t[0], *const y = &t[2];
  int64_t place[ANYDIM_RANK] = {0};
  char value[8] = {0};
  int i;
  (void)scratch;
  if (t[1].data != NULL && at->has_value) memcpy(value, t[1].data, (size_t)y->size);
  for (i = 0; i < y->rank; ++i)
    if (y->dims[i] == 0) return 0;
  for (;;) {
    int64_t from = 0, to = 0, o;
    int inside = 1;
    const int last = y->rank - 1;
    for (i = 0; i < last; ++i) {
      const int64_t source = pad_source(at->mode, place[i] - t[3].dims[i], x->dims[i]);
      inside = inside && source >= 0;
      from += source * x->strides[i];
      to += place[i] * y->strides[i];
    }
    for (o = 0; o < (last < 0 ? 1 : y->dims[last]); ++o) {
      const int64_t source = last < 0 ? 0 : pad_source(at->mode, o - t[3].dims[last], x->dims[last]);
      char* const here = y->data + (to + (last < 0 ? 0 : o * y->strides[last])) * y->size;
      memcpy(here, inside && source >= 0 ? x->data + (from + (last < 0 ? 0 : source * x->strides[last])) * y->size : value,
             (size_t)y->size);
    }
    for (i = last - 1; i >= 0 && ++place[i] == y->dims[i]; --i) place[i] = 0;
    if (i < 0) return 0;
  }
  return 0;
}
