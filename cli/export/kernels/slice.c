/* SPDX-License-Identifier: Apache-2.0 */
/* Per axis a first index and a step. Operands: x, y, the first indices. */
#include "copy.h"

int anydim_slice(const void* attributes, const anydim_tensor* t, void* scratch) {
  const anydim_axes_attributes* const at = (const anydim_axes_attributes*)attributes;
  anydim_tensor part = t[0];
  int i;
  (void)scratch;
  for (i = 0; i < part.rank; ++i) {
    part.data += t[2].dims[i] * part.strides[i] * part.size;
    part.strides[i] *= at->values[i];
    part.dims[i] = t[1].dims[i];
  }
  copy_tensor(&part, &t[1]);
  return 0;
}
