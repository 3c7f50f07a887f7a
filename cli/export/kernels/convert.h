/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of one dtype as those of another, docs/numerics.md, section 7. */
#ifndef ANYDIM_CONVERT_H
#define ANYDIM_CONVERT_H

#include <string.h>

#include "kernels.h"

static inline void from_whole(int dtype, char* to, int64_t v) {
  switch (dtype) {
    case ANYDIM_f32: {
      const float f = (float)v;
      memcpy(to, &f, 4);
      return;
    }
    case ANYDIM_i64: memcpy(to, &v, 8); return;
    case ANYDIM_i32: {
      const uint32_t u = (uint32_t)(uint64_t)v;
      memcpy(to, &u, 4);
      return;
    }
    case ANYDIM_bool: *to = v != 0; return;
    default: {
      const unsigned char u = (unsigned char)((uint64_t)v & 255u);
      memcpy(to, &u, 1);
      return;
    }
  }
}

/* Toward zero; out of range saturates, NaN gives 0. */
static inline int64_t whole_of(float v, int64_t least, int64_t most) {
  if (v != v) return 0;
  if (v >= 9223372036854775808.f) return most;
  if (v < -9223372036854775808.f) return least;
  {
    const int64_t w = (int64_t)v;
    return w < least ? least : w > most ? most : w;
  }
}
static inline void from_real(int dtype, char* to, float v) {
  switch (dtype) {
    case ANYDIM_f32: memcpy(to, &v, 4); return;
    case ANYDIM_i64: from_whole(dtype, to, whole_of(v, INT64_MIN, INT64_MAX)); return;
    case ANYDIM_i32: from_whole(dtype, to, whole_of(v, INT32_MIN, INT32_MAX)); return;
    case ANYDIM_u8: from_whole(dtype, to, whole_of(v, 0, 255)); return;
    case ANYDIM_i8: from_whole(dtype, to, whole_of(v, -128, 127)); return;
    default: *to = v != 0.f; return;
  }
}

static inline int64_t to_whole(int dtype, const char* from) {
  switch (dtype) {
    case ANYDIM_i64: {
      int64_t v;
      memcpy(&v, from, 8);
      return v;
    }
    case ANYDIM_i32: {
      int32_t v;
      memcpy(&v, from, 4);
      return v;
    }
    case ANYDIM_i8: return *(const signed char*)from;
    default: return *(const unsigned char*)from;
  }
}

#endif
