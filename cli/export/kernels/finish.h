/* SPDX-License-Identifier: Apache-2.0 */
/* What follows a result before it is stored: the chain of post-ops, on rows of floats that lie one after another. */
#ifndef ANYDIM_FINISH_H
#define ANYDIM_FINISH_H

#include "functions.h"
#include "walk.h"

#define ANYDIM_POSTS 12

typedef struct finisher {
  const anydim_posts* posts;
  int32_t rank, axis, operands; /* axis: of the result, along which the floats of a row lie */
  struct {
    const float* data;
    int64_t strides[ANYDIM_RANK];
  } operand[ANYDIM_POSTS];
} finisher;

static ANYDIM_UNUSED void finish_begin(finisher* f, const anydim_posts* posts, const anydim_tensor* operands, int rank, int axis) {
  int i, n = 0;
  f->posts = posts;
  f->rank = rank;
  f->axis = axis;
  for (i = 0; i < posts->count; ++i) {
    if (posts->steps[i].kind == ANYDIM_UNARY) continue;
    f->operand[n].data = (const float*)(const void*)operands[n].data;
    broadcast_strides(&operands[n], rank, f->operand[n].strides);
    ++n;
  }
  f->operands = n;
}

/* rows * width floats, width a multiple of the lanes, of which `count` of each row count; where[r]: the place of a row's first one. */
static ANYDIM_UNUSED void finish_rows(const finisher* f, float* v, int rows, int width, int count, const int64_t (*where)[ANYDIM_RANK]) {
  int i, n = 0;
  for (i = 0; i < f->posts->count; ++i) {
    const anydim_post* const p = &f->posts->steps[i];
    int r, axis, j;
    if (p->kind == ANYDIM_UNARY) {
      unary_function(p->function, p->alpha, p->beta, v, rows * width);
      continue;
    }
    for (r = 0; r < rows; ++r) {
      const float* from = f->operand[n].data;
      const int64_t step = f->operand[n].strides[f->axis];
      float t[256];
      for (axis = 0; axis < f->rank; ++axis) from += where[r][axis] * f->operand[n].strides[axis];
      for (j = 0; j < count; ++j) t[j] = from[j * step];
      for (; j < width; ++j) t[j] = 0.f;
      binary_function(p->function, p->kind == ANYDIM_BINARY_REVERSED, v + r * width, t, width);
    }
    ++n;
  }
}

/* Rows of floats, from memory and to it; behind the last one 0 up to a whole vector. */
static ANYDIM_UNUSED void load_row(float* to, const float* from, int64_t step, int count) {
  int j;
  if (step == 1) memcpy(to, from, (size_t)count * sizeof *to);
  else
    for (j = 0; j < count; ++j) to[j] = from[j * step];
  for (j = count; j % ANYDIM_LANES != 0; ++j) to[j] = 0.f;
}
static int whole(int count) { return (count + ANYDIM_LANES - 1) / ANYDIM_LANES * ANYDIM_LANES; }
static ANYDIM_UNUSED void store_row(float* to, int64_t step, const float* from, int count) {
  int j;
  if (step == 1) memcpy(to, from, (size_t)count * sizeof *to);
  else
    for (j = 0; j < count; ++j) to[j * step] = from[j];
}

/* The post-ops of a walk whose operands begin with `first`, on `count` floats from place `from` of its line on. */
static ANYDIM_UNUSED void finish_strip(const anydim_posts* posts, const walk* w, const anydim_tensor* t, int first, float* v, int64_t from,
                                       int count) {
  int i;
  for (i = 0; i < posts->count; ++i) {
    const anydim_post* const p = &posts->steps[i];
    if (p->kind == ANYDIM_UNARY) {
      unary_function(p->function, p->alpha, p->beta, v, whole(count));
    } else {
      float other[ANYDIM_STRIP];
      const int64_t step = walk_step(w, first);
      load_row(other, (const float*)(const void*)t[first].data + w->at[first] + from * step, step, count);
      binary_function(p->function, p->kind == ANYDIM_BINARY_REVERSED, v, other, whole(count));
      ++first;
    }
  }
}
static ANYDIM_UNUSED int operands_of(const anydim_posts* posts) {
  int i, n = 0;
  for (i = 0; i < posts->count; ++i) n += posts->steps[i].kind != ANYDIM_UNARY;
  return n;
}

#endif
