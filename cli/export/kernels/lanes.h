/* SPDX-License-Identifier: Apache-2.0 */
/* Sums along the last axis, docs/numerics.md, section 2: 32 lanes in blocks of 4096, added as a tree. */
#ifndef ANYDIM_LANES_H
#define ANYDIM_LANES_H

#include "functions.h"

typedef struct lanes {
  float lane[32], total;
  int64_t at; /* elements so far */
} lanes;

ANYDIM_INLINE float one(vec v) {
  float t[ANYDIM_LANES];
  store(t, v);
  return t[0];
}
static ANYDIM_UNUSED float greatest(vec v) {
  float t[ANYDIM_LANES], m;
  int i;
  store(t, v);
  m = t[0];
  for (i = 1; i < ANYDIM_LANES; ++i) m = m != m || t[i] != t[i] ? m + t[i] : m < t[i] ? t[i] : m;
  return m;
}

static ANYDIM_UNUSED void lanes_begin(lanes* s) { memset(s, 0, sizeof *s); }
static ANYDIM_UNUSED void lanes_block(lanes* s) {
  int h, i;
  for (h = 16; h >= 1; h /= 2)
    for (i = 0; i < h; ++i) s->lane[i] = s->lane[i] + s->lane[i + h];
  s->total = s->at <= 4096 ? s->lane[0] : s->total + s->lane[0];
  memset(s->lane, 0, sizeof s->lane);
}
/* n elements: all but the last call with a multiple of 32; behind n zeros up to a whole vector. A lane is never -0, so that these change
   nothing. */
static ANYDIM_UNUSED void lanes_add(lanes* s, const float* v, int n) {
  int i, j;
  if (s->at > 0 && s->at % 4096 == 0) lanes_block(s);
  for (i = 0; i + 32 <= n; i += 32)
    ANYDIM_UNROLL for (j = 0; j < 32; j += ANYDIM_LANES) store(s->lane + j, load(s->lane + j) + load(v + i + j));
  for (j = 0; i < n; ++i, ++j) s->lane[j] = s->lane[j] + v[i];
  s->at += n;
}
/* The same of squares, each by one fused product. */
static ANYDIM_UNUSED void lanes_add_squares(lanes* s, const float* v, int n) {
  int i, j;
  if (s->at > 0 && s->at % 4096 == 0) lanes_block(s);
  for (i = 0; i + 32 <= n; i += 32)
    ANYDIM_UNROLL for (j = 0; j < 32; j += ANYDIM_LANES) store(s->lane + j, fma_(load(v + i + j), load(v + i + j), load(s->lane + j)));
  for (j = 0; i < n; ++i, ++j) s->lane[j] = fma1(v[i], v[i], s->lane[j]);
  s->at += n;
}
static ANYDIM_UNUSED float lanes_end(lanes* s) {
  if (s->at > 0) lanes_block(s);
  return s->total;
}

#endif
