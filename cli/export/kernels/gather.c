/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of the data along an axis, picked by indices, negative ones from the end. Operands: data, indices, y. */
#include "copy.h"

int anydim_gather(const void* attributes, const anydim_tensor* t, void* scratch) {
  const anydim_concat_attributes* const at = (const anydim_concat_attributes*)attributes;
  const anydim_tensor *const data = &t[0], *const indices = &t[1], *const y = &t[2];
  const int axis = at->axis, of = indices->rank;
  int64_t place[ANYDIM_RANK] = {0};
  int i;
  (void)scratch;
  for (i = 0; i < y->rank; ++i)
    if (y->dims[i] == 0) return 0;
  for (;;) {
    anydim_tensor from, to;
    int64_t index = 0, index_at = 0;
    from.data = data->data;
    to.data = y->data;
    from.size = to.size = y->size;
    from.rank = to.rank = data->rank - 1;
    for (i = 0; i < of; ++i) {
      index_at += place[i] * indices->strides[i];
      to.data += place[i] * y->strides[axis + i] * y->size;
    }
    if (indices->size == 8) {
      memcpy(&index, indices->data + index_at * 8, 8);
    } else {
      int32_t small;
      memcpy(&small, indices->data + index_at * 4, 4);
      index = small;
    }
    if (index < 0) index += data->dims[axis];
    if (index < 0 || index >= data->dims[axis]) return 1;
    for (i = 0; i < from.rank; ++i) {
      const int d = i < axis ? i : i + 1, o = i < axis ? i : i + of;
      from.dims[i] = data->dims[d];
      from.strides[i] = data->strides[d];
      to.dims[i] = y->dims[o];
      to.strides[i] = y->strides[o];
    }
    from.data += index * data->strides[axis] * data->size;
    copy_tensor(&from, &to);
    for (i = of - 1; i >= 0 && ++place[i] == indices->dims[i]; --i) place[i] = 0;
    if (i < 0) return 0;
  }
  return 0;
}
