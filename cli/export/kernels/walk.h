/* SPDX-License-Identifier: Apache-2.0 */
/* A walk over the elements of a result in the order of its memory, with operands that broadcast: axes are sorted by the result's strides,
   and neighbours that are one for every tensor are merged. */
#ifndef ANYDIM_WALK_H
#define ANYDIM_WALK_H

#include <string.h>

#include "kernels.h"

#define ANYDIM_WALKERS 16
#define ANYDIM_STRIP 256

typedef struct walk {
  int32_t rank, operands; /* rank: 1 and more; the last axis is the inner one */
  int64_t dims[ANYDIM_RANK], strides[ANYDIM_WALKERS][ANYDIM_RANK], place[ANYDIM_RANK], at[ANYDIM_WALKERS];
} walk;

/* Strides of `t` by the axes of a result of so many axes: 0 where it repeats. */
static void broadcast_strides(const anydim_tensor* t, int rank, int64_t* strides) {
  int i;
  for (i = 0; i < rank; ++i) {
    const int axis = i - (rank - t->rank);
    strides[i] = axis < 0 || t->dims[axis] == 1 ? 0 : t->strides[axis];
  }
}

/* t[result] is walked; false if it has no element. */
static inline int walk_begin(walk* w, const anydim_tensor* t, int operands, int result) {
  const anydim_tensor* const y = &t[result];
  int64_t strides[ANYDIM_WALKERS][ANYDIM_RANK];
  int order[ANYDIM_RANK], rank = 0, i, j, o;
  w->operands = operands;
  for (o = 0; o < operands; ++o) {
    broadcast_strides(&t[o], y->rank, strides[o]);
    w->at[o] = 0;
  }
  for (i = 0; i < y->rank; ++i) {
    if (y->dims[i] == 0) return 0;
    if (y->dims[i] == 1) continue;
    for (j = rank++; j > 0 && strides[result][order[j - 1]] < strides[result][i]; --j) order[j] = order[j - 1];
    order[j] = i;
  }
  w->rank = 0;
  for (i = 0; i < rank; ++i) {
    const int axis = order[i], last = w->rank - 1;
    int one = last >= 0;
    for (o = 0; one && o < operands; ++o) one = w->strides[o][last] == strides[o][axis] * y->dims[axis];
    if (one) {
      w->dims[last] *= y->dims[axis];
      for (o = 0; o < operands; ++o) w->strides[o][last] = strides[o][axis];
    } else {
      w->dims[w->rank] = y->dims[axis];
      for (o = 0; o < operands; ++o) w->strides[o][w->rank] = strides[o][axis];
      ++w->rank;
    }
  }
  if (w->rank == 0) {
    w->dims[0] = 1;
    for (o = 0; o < operands; ++o) w->strides[o][0] = 0;
    w->rank = 1;
  }
  for (i = 0; i < w->rank; ++i) w->place[i] = 0;
  return 1;
}

/* To the next line along the inner axis; false behind the last one. */
static inline int walk_next(walk* w) {
  int i, o;
  for (i = w->rank - 2; i >= 0; --i) {
    if (++w->place[i] < w->dims[i]) {
      for (o = 0; o < w->operands; ++o) w->at[o] += w->strides[o][i];
      return 1;
    }
    for (o = 0; o < w->operands; ++o) w->at[o] -= w->strides[o][i] * (w->dims[i] - 1);
    w->place[i] = 0;
  }
  return 0;
}

/* `count` elements of a line, from `from` on. */
static inline int64_t walk_length(const walk* w) { return w->dims[w->rank - 1]; }
static inline int64_t walk_step(const walk* w, int operand) { return w->strides[operand][w->rank - 1]; }

#endif
