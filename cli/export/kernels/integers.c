/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of whole numbers, modulo 2^n, and comparisons, of floats too. Operands: a, b (of two), y. */
#include "convert.h"
#include "walk.h"

static int64_t of_two(int function, int64_t a, int64_t b) {
  switch (function) {
    case ANYDIM_add: return (int64_t)((uint64_t)a + (uint64_t)b);
    case ANYDIM_sub: return (int64_t)((uint64_t)a - (uint64_t)b);
    case ANYDIM_mul: return (int64_t)((uint64_t)a * (uint64_t)b);
    case ANYDIM_div: return b == 0 ? 0 : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
    case ANYDIM_min: return a < b ? a : b;
    case ANYDIM_max: return a > b ? a : b;
    case ANYDIM_equal: return a == b;
    case ANYDIM_less: return a < b;
    case ANYDIM_less_equal: return a <= b;
    case ANYDIM_greater: return a > b;
    case ANYDIM_greater_equal: return a >= b;
    case ANYDIM_logical_and: return a != 0 && b != 0;
    case ANYDIM_logical_or: return a != 0 || b != 0;
    case ANYDIM_logical_xor: return (a != 0) != (b != 0);
    case ANYDIM_logical_not: return a == 0;
    case ANYDIM_neg: return (int64_t)(0 - (uint64_t)a);
    case ANYDIM_abs: return a < 0 ? (int64_t)(0 - (uint64_t)a) : a;
    case ANYDIM_sign: return a > 0 ? 1 : a < 0 ? -1 : 0;
    default: return a;
  }
}
static int of_reals(int function, float a, float b) {
  switch (function) {
    case ANYDIM_equal: return a == b;
    case ANYDIM_less: return a < b;
    case ANYDIM_less_equal: return a <= b;
    case ANYDIM_greater: return a > b;
    case ANYDIM_greater_equal: return a >= b;
    case ANYDIM_is_nan: return a != a;
    default: return 0;
  }
}

int anydim_integers(const void* attributes, const anydim_tensor* t, void* scratch) {
  const anydim_integers_attributes* const at = (const anydim_integers_attributes*)attributes;
  const int y = at->inputs, b = at->inputs - 1;
  walk w;
  (void)scratch;
  if (!walk_begin(&w, t, y + 1, y)) return 0;
  do {
    int64_t i;
    for (i = 0; i < walk_length(&w); ++i) {
      const char* const first = t[0].data + (w.at[0] + i * walk_step(&w, 0)) * t[0].size;
      const char* const second = t[b].data + (w.at[b] + i * walk_step(&w, b)) * t[b].size;
      char* const to = t[y].data + (w.at[y] + i * walk_step(&w, y)) * t[y].size;
      if (at->from == ANYDIM_f32) {
        float p, q;
        memcpy(&p, first, 4);
        memcpy(&q, second, 4);
        from_whole(at->to, to, of_reals(at->function, p, q));
      } else {
        from_whole(at->to, to, of_two(at->function, to_whole(at->from, first), to_whole(at->from, second)));
      }
    }
  } while (walk_next(&w));
  return 0;
}
