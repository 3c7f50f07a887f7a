/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one and two float tensors, element by element. */
#include "finish.h"

static void elements(const anydim_elementwise_attributes* at, const anydim_tensor* t, int inputs) {
  const int operands = inputs + 1 + operands_of(&at->posts);
  float* const y = (float*)(void*)t[inputs].data;
  walk w;
  if (!walk_begin(&w, t, operands, inputs)) return;
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
