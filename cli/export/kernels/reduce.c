/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions of floats, docs/numerics.md, section 2: in lanes where the last axis alone is reduced, else in chains of blocks of 64. */
#include "finish.h"

static float reduce_start(int kind) {
  return kind == ANYDIM_reduce_max ? -INFINITY : kind == ANYDIM_reduce_min ? INFINITY : kind == ANYDIM_reduce_prod ? 1.f : 0.f;
}
ANYDIM_INLINE vec reduce_take(int kind, vec acc, vec x) {
  switch (kind) {
    case ANYDIM_reduce_max: return max_(acc, x);
    case ANYDIM_reduce_min: return min_(acc, x);
    case ANYDIM_reduce_prod: return acc * x;
    case ANYDIM_reduce_l1: return acc + abs_(x);
    case ANYDIM_reduce_l2:
    case ANYDIM_reduce_sum_square: return fma_(x, x, acc);
    default: return acc + x;
  }
}
ANYDIM_INLINE vec reduce_join(int kind, vec a, vec b) {
  switch (kind) {
    case ANYDIM_reduce_max: return max_(a, b);
    case ANYDIM_reduce_min: return min_(a, b);
    case ANYDIM_reduce_prod: return a * b;
    default: return a + b;
  }
}
static void reduce_end(int kind, float* v, int n, int64_t count) {
  int j;
  for (j = 0; j < n; j += ANYDIM_LANES) {
    if (kind == ANYDIM_reduce_mean) store(v + j, load(v + j) / splat((float)count));
    if (kind == ANYDIM_reduce_l2) store(v + j, sqrt_(load(v + j)));
  }
}

/* One line of `count` elements in lanes. */
static float reduce_line(int kind, const float* x, int64_t step, int64_t count) {
  float v[ANYDIM_STRIP], lane[32], part[ANYDIM_LANES], other[ANYDIM_LANES], total = reduce_start(kind);
  int64_t i, done;
  int j, h, n;
  for (done = 0; done < count; done = i) {
    for (j = 0; j < 32; ++j) lane[j] = reduce_start(kind);
    for (i = done; i < count && i < done + 4096; i += n) {
      int k;
      n = count - i < ANYDIM_STRIP ? (int)(count - i) : ANYDIM_STRIP;
      load_row(v, x + i * step, step, n);
      for (k = 0; k + 32 <= n; k += 32)
        for (j = 0; j < 32; j += ANYDIM_LANES) store(lane + j, reduce_take(kind, load(lane + j), load(v + k + j)));
      for (j = 0; k < n; ++k, ++j) {
        store(part, reduce_take(kind, splat(lane[j]), splat(v[k])));
        lane[j] = part[0];
      }
    }
    for (h = 16; h >= 1; h /= 2)
      for (j = 0; j < h; ++j) {
        store(part, reduce_join(kind, splat(lane[j]), splat(lane[j + h])));
        lane[j] = part[0];
      }
    store(other, reduce_join(kind, splat(total), splat(lane[0])));
    total = done == 0 ? lane[0] : other[0];
  }
  return total;
}

int anydim_reduce(const void* attributes, const anydim_tensor* t, void* scratch) {
  const anydim_reduce_attributes* const at = (const anydim_reduce_attributes*)attributes;
  const anydim_tensor* const x = &t[0];
  const int lanes = x->rank > 0 && at->axes == 1 << (x->rank - 1), kind = at->kind;
  anydim_tensor rows[2];
  int64_t count = 1;
  walk w;
  int a, o = 0;
  (void)scratch;
  rows[0] = *x;
  rows[1] = t[1];
  rows[1].rank = x->rank;
  for (a = 0; a < x->rank; ++a) {
    const int reduced = at->axes >> a & 1;
    rows[1].dims[a] = reduced ? 1 : t[1].dims[o];
    rows[1].strides[a] = reduced ? 0 : t[1].strides[o];
    if (!reduced || at->keepdims) ++o;
    if (reduced) {
      count *= x->dims[a];
      rows[0].dims[a] = 1;
    }
  }
  if (!walk_begin(&w, rows, 2, 1)) return 0;
  do {
    int64_t from;
    int n, j;
    for (from = 0; from < walk_length(&w); from += n) {
      const float* const line = (const float*)(const void*)x->data + w.at[0] + from * walk_step(&w, 0);
      float* const to = (float*)(void*)t[1].data + w.at[1] + from * walk_step(&w, 1);
      float total[ANYDIM_STRIP], part[ANYDIM_STRIP], v[ANYDIM_STRIP];
      int64_t r, place[ANYDIM_RANK] = {0}, at_x = 0;
      n = walk_length(&w) - from < ANYDIM_STRIP ? (int)(walk_length(&w) - from) : ANYDIM_STRIP;
      if (lanes) {
        for (j = 0; j < n; ++j) total[j] = reduce_line(kind, line + j * walk_step(&w, 0), x->strides[x->rank - 1], count);
        for (; j % ANYDIM_LANES != 0; ++j) total[j] = 0.f;
      } else {
        for (j = 0; j < n; j += ANYDIM_LANES) {
          store(total + j, splat(reduce_start(kind)));
          store(part + j, splat(reduce_start(kind)));
        }
        for (r = 0; r < count; ++r) {
          if (r > 0 && r % 64 == 0)
            for (j = 0; j < n; j += ANYDIM_LANES) {
              store(total + j, r == 64 ? load(part + j) : reduce_join(kind, load(total + j), load(part + j)));
              store(part + j, splat(reduce_start(kind)));
            }
          load_row(v, line + at_x, walk_step(&w, 0), n);
          for (j = 0; j < n; j += ANYDIM_LANES) store(part + j, reduce_take(kind, load(part + j), load(v + j)));
          for (a = x->rank - 1; a >= 0; --a) {
            if (!(at->axes >> a & 1)) continue;
            at_x += x->strides[a];
            if (++place[a] < x->dims[a]) break;
            at_x -= place[a] * x->strides[a];
            place[a] = 0;
          }
        }
        for (j = 0; j < n; j += ANYDIM_LANES)
          store(total + j, count <= 64 ? load(part + j) : reduce_join(kind, load(total + j), load(part + j)));
      }
      reduce_end(kind, total, n, count);
      store_row(to, walk_step(&w, 1), total, n);
    }
  } while (walk_next(&w));
  return 0;
}
