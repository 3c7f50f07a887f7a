/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of 8 bits as real numbers and back, with a function of one or two tensors between. Operands: x (and another), y, post-ops'. */
#include "finish.h"
#include "integer_store.h"

static void load_numbers(const anydim_requantize_attributes* at, int which, const char* from, int64_t step, int count, float* v) {
  int j;
  for (j = 0; j < count; ++j) {
    const char* const p = from + j * step * (at->from[which] == ANYDIM_f32 || at->from[which] == ANYDIM_i32 ? 4 : 1);
    switch (at->from[which]) {
      case ANYDIM_f32: memcpy(v + j, p, 4); break;
      case ANYDIM_i32: {
        int32_t n;
        memcpy(&n, p, 4);
        v[j] = (float)n;
        break;
      }
      default: {
        const int n = *(const unsigned char*)p;
        v[j] = (float)((at->from[which] == ANYDIM_i8 && n > 127 ? n - 256 : n) - at->zero[which]);
        break;
      }
    }
  }
  for (; j % ANYDIM_LANES != 0; ++j) v[j] = 0.f;
  if (at->scaled[which])
    for (j = 0; j < count; j += ANYDIM_LANES) store(v + j, load(v + j) * splat(at->scale[which]));
}

int anydim_requantize(const void* attributes, const anydim_tensor* t, void* scratch) {
  const anydim_requantize_attributes* const at = (const anydim_requantize_attributes*)attributes;
  const int y = at->inputs, operands = y + 1 + operands_of(&at->posts);
  walk w;
  (void)scratch;
  if (!walk_begin(&w, t, operands, y)) return 0;
  do {
    int64_t from;
    int count;
    for (from = 0; from < walk_length(&w); from += count) {
      float v[ANYDIM_STRIP], other[ANYDIM_STRIP];
      const int64_t step = walk_step(&w, y);
      char* const to = t[y].data + (w.at[y] + from * step) * t[y].size;
      count = walk_length(&w) - from < ANYDIM_STRIP ? (int)(walk_length(&w) - from) : ANYDIM_STRIP;
      load_numbers(at, 0, t[0].data + (w.at[0] + from * walk_step(&w, 0)) * t[0].size, walk_step(&w, 0), count, v);
      if (at->inputs == 2) {
        load_numbers(at, 1, t[1].data + (w.at[1] + from * walk_step(&w, 1)) * t[1].size, walk_step(&w, 1), count, other);
        binary_function(at->function, 0, v, other, whole(count));
      }
      finish_strip(&at->posts, &w, t, y + 1, v, from, count);
      store_numbers(to, step, at->to, at->rescaled, at->y_scale, at->y_zero, v, count);
    }
  } while (walk_next(&w));
  return 0;
}

/* The results of all numbers, by their bytes. Operands: x, y. */
int anydim_look_up(const void* attributes, const anydim_tensor* t, void* scratch) {
  const anydim_look_up_attributes* const at = (const anydim_look_up_attributes*)attributes;
  walk w;
  (void)scratch;
  if (!walk_begin(&w, t, 2, 1)) return 0;
  do {
    int64_t i;
    for (i = 0; i < walk_length(&w); ++i) {
      const float v = at->table[*(const unsigned char*)(t[0].data + w.at[0] + i * walk_step(&w, 0))];
      char* const to = t[1].data + (w.at[1] + i * walk_step(&w, 1)) * t[1].size;
      if (at->to == ANYDIM_f32) {
        memcpy(to, &v, 4);
      } else {
        const int n = (int)v;
        *to = (char)(n > 127 ? n - 256 : n);
      }
    }
  } while (walk_next(&w));
  return 0;
}
