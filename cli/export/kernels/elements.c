/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one and two float tensors, element by element. */
#include "finish.h"

/* Of two tensors whose elements lie beside each other along the last axis: all lines along the axis before it. */
static void whole_lines(const anydim_elementwise_attributes* at, const anydim_tensor* t, const walk* w, int64_t rows) {
  const int o = w->rank - 2;
  pairs p;
  p.first = (const float*)(const void*)t[0].data + w->at[0];
  p.second = (const float*)(const void*)t[1].data + w->at[1];
  p.to = (float*)(void*)t[2].data + w->at[2];
  p.first_step = o < 0 ? 0 : w->strides[0][o];
  p.second_step = o < 0 ? 0 : w->strides[1][o];
  p.to_step = o < 0 ? 0 : w->strides[2][o];
  p.rows = rows;
  p.n = (int)walk_length(w);
  binary_rows(at->function, &p);
}

static void elements(const anydim_elementwise_attributes* at, const anydim_tensor* t, int inputs) {
  const int operands = inputs + 1 + operands_of(&at->posts);
  float* const y = (float*)(void*)t[inputs].data;
  walk w;
  if (!walk_begin(&w, t, operands, inputs)) return;
  if (inputs == 2 && at->posts.count == 0 && walk_step(&w, 0) == 1 && walk_step(&w, 1) == 1 && walk_step(&w, 2) == 1 &&
      walk_length(&w) < INT32_MAX) {
    const int64_t rows = w.rank > 1 ? w.dims[w.rank - 2] : 1;
    if (w.rank > 1) w.dims[w.rank - 2] = 1; /* the walk leaves out what is done here */
    do whole_lines(at, t, &w, rows);
    while (walk_next(&w));
    return;
  }
  do {
    int64_t from;
    int count;
    for (from = 0; from < walk_length(&w); from += count) {
      float v[ANYDIM_STRIP], other[ANYDIM_STRIP];
      const int64_t step = walk_step(&w, inputs), x_step = walk_step(&w, 0);
      count = walk_length(&w) - from < ANYDIM_STRIP ? (int)(walk_length(&w) - from) : ANYDIM_STRIP;
      load_row(v, (const float*)(const void*)t[0].data + w.at[0] + from * x_step, x_step, count);
      if (inputs == 2) {
        const int64_t other_step = walk_step(&w, 1);
        load_row(other, (const float*)(const void*)t[1].data + w.at[1] + from * other_step, other_step, count);
        binary_function(at->function, 0, v, other, whole(count));
      } else {
        unary_function(at->function, at->alpha, at->beta, v, whole(count));
      }
      finish_strip(&at->posts, &w, t, inputs + 1, v, from, count);
      store_row(y + w.at[inputs] + from * step, step, v, count);
    }
  } while (walk_next(&w));
}

int anydim_unary(const void* attributes, const anydim_tensor* t, void* scratch) {
  (void)scratch;
  elements((const anydim_elementwise_attributes*)attributes, t, 1);
  return 0;
}
int anydim_binary(const void* attributes, const anydim_tensor* t, void* scratch) {
  (void)scratch;
  elements((const anydim_elementwise_attributes*)attributes, t, 2);
  return 0;
}
