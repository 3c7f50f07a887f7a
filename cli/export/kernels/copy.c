/* SPDX-License-Identifier: Apache-2.0 */
/* Transposes, expansions and copies of outputs: x with other strides, or repeated. */
#include "copy.h"

int anydim_copy(const void* attributes, const anydim_tensor* t, void* scratch) {
  (void)attributes;
  (void)scratch;
  copy_tensor(&t[0], &t[1]);
  return 0;
}
