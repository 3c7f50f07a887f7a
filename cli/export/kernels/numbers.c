/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of the run as tensors: their list, or start + i * delta. Operands: y, the sizes. */
#include "convert.h"

int anydim_numbers(const void* attributes, const anydim_tensor* t, void* scratch) {
  const anydim_cast_attributes* const at = (const anydim_cast_attributes*)attributes;
  const int64_t n = t[0].rank == 0 ? 1 : t[0].dims[0];
  int64_t i;
  (void)scratch;
  for (i = 0; i < n; ++i) from_whole(at->to, t[0].data + (t[0].rank == 0 ? 0 : i * t[0].strides[0]) * t[0].size, t[1].dims[i]);
  return 0;
}

/* Rounded in the dtype, each operation by itself. */
int anydim_range(const void* attributes, const anydim_tensor* t, void* scratch) {
  const anydim_cast_attributes* const at = (const anydim_cast_attributes*)attributes;
  const int64_t start = t[1].dims[0], delta = t[1].dims[1], n = t[0].dims[0];
  int64_t i;
  (void)scratch;
  for (i = 0; i < n; ++i) {
    char* const to = t[0].data + i * t[0].strides[0] * t[0].size;
    if (at->to == ANYDIM_f32) {
      const float step = (float)i * (float)delta;
      const float y = (float)start + step;
      memcpy(to, &y, 4);
    } else {
      from_whole(at->to, to, (int64_t)((uint64_t)start + (uint64_t)i * (uint64_t)delta));
    }
  }
  return 0;
}
