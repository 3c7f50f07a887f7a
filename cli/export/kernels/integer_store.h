/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of 8 bits and what they stand for, docs/numerics.md, section 1: scale * (number - zero point). */
#ifndef ANYDIM_INTEGER_STORE_H
#define ANYDIM_INTEGER_STORE_H

#include "functions.h"

/* `count` floats as elements of `dtype`: f32 as they are; else divided by the scale (where `rescaled`), rounded to the nearest even whole
   number, the zero point added, saturated; NaN gives 0. */
static ANYDIM_UNUSED void store_numbers(char* to, int64_t step, int dtype, int rescaled, float scale, float zero, float* v, int count) {
  const float low = dtype == ANYDIM_i8 ? -128.f : 0.f;
  int j;
  if (dtype == ANYDIM_f32) {
    for (j = 0; j < count; ++j) memcpy(to + j * step * 4, v + j, 4);
    return;
  }
  for (j = 0; j < count; j += ANYDIM_LANES) {
    vec y = load(v + j);
    if (rescaled) y = y / splat(scale);
    y = round_even_(y) + splat(zero);
    y = select_(y != y, splat(0.f), y);
    y = select_(y < splat(low), splat(low), y);
    store(v + j, select_(splat(low + 255.f) < y, splat(low + 255.f), y));
  }
  for (j = 0; j < count; ++j) {
    const int n = (int)v[j];
    to[j * step] = (char)(n > 127 ? n - 256 : n);
  }
}

#endif
