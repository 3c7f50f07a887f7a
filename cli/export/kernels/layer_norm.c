/* SPDX-License-Identifier: Apache-2.0 */
/* Layer normalisation over the last axes, docs/numerics.md, section 3. */
#include "finish.h"
#include "lanes.h"

/* `n` elements of the axes from `axis` on, flattened, from element `from` on. */
static void norm_load(const anydim_tensor* t, int axis, const float* row, int64_t from, int n, float* to) {
  int64_t place[ANYDIM_RANK], at = 0, rest = from;
  int i, j;
  if (axis == t->rank - 1) {
    load_row(to, row + from * t->strides[axis], t->strides[axis], n);
    return;
  }
  for (i = t->rank - 1; i >= axis; --i) {
    place[i] = rest % t->dims[i];
    rest /= t->dims[i];
    at += place[i] * t->strides[i];
  }
  for (j = 0; j < n; ++j) {
    to[j] = row[at];
    for (i = t->rank - 1; i >= axis; --i) {
      at += t->strides[i];
      if (++place[i] < t->dims[i]) break;
      at -= place[i] * t->strides[i];
      place[i] = 0;
    }
  }
  for (; j % ANYDIM_LANES != 0; ++j) to[j] = 0.f;
}
static void norm_store(const anydim_tensor* t, int axis, float* row, int64_t from, int n, const float* v) {
  int64_t place[ANYDIM_RANK], at = 0, rest = from;
  int i, j;
  if (axis == t->rank - 1) {
    store_row(row + from * t->strides[axis], t->strides[axis], v, n);
    return;
  }
  for (i = t->rank - 1; i >= axis; --i) {
    place[i] = rest % t->dims[i];
    rest /= t->dims[i];
    at += place[i] * t->strides[i];
  }
  for (j = 0; j < n; ++j) {
    row[at] = v[j];
    for (i = t->rank - 1; i >= axis; --i) {
      at += t->strides[i];
      if (++place[i] < t->dims[i]) break;
      at -= place[i] * t->strides[i];
      place[i] = 0;
    }
  }
}

int anydim_layer_norm(const void* attributes, const anydim_tensor* t, void* scratch) {
  const anydim_layer_norm_attributes* const at = (const anydim_layer_norm_attributes*)attributes;
  const int inputs = 1 + at->has_scale + at->has_bias, axis = at->axis;
  const anydim_tensor *const x = &t[0], *const y = &t[inputs];
  const anydim_tensor *const scale = at->has_scale ? &t[1] : NULL, *const bias = at->has_bias ? &t[1 + at->has_scale] : NULL;
  anydim_tensor rows[2];
  int64_t count = 1;
  walk w;
  int i, n;
  (void)scratch;
  rows[0] = *x;
  rows[1] = *y;
  for (i = axis; i < x->rank; ++i) {
    count *= x->dims[i];
    rows[0].dims[i] = rows[1].dims[i] = 1;
  }
  if (count == 0 || !walk_begin(&w, rows, 2, 1)) return 0;
  do {
    int64_t line;
    for (line = 0; line < walk_length(&w); ++line) {
      const float* const from = (const float*)(const void*)x->data + w.at[0] + line * walk_step(&w, 0);
      float* const to = (float*)(void*)y->data + w.at[1] + line * walk_step(&w, 1);
      float v[ANYDIM_STRIP], factor[ANYDIM_STRIP], mean, rstd;
      lanes sum;
      int64_t k;
      int j;
      lanes_begin(&sum);
      for (k = 0; k < count; k += n) {
        n = count - k < ANYDIM_STRIP ? (int)(count - k) : ANYDIM_STRIP;
        norm_load(x, axis, from, k, n, v);
        lanes_add(&sum, v, n);
      }
      mean = lanes_end(&sum) / (float)count;
      lanes_begin(&sum);
      for (k = 0; k < count; k += n) {
        n = count - k < ANYDIM_STRIP ? (int)(count - k) : ANYDIM_STRIP;
        norm_load(x, axis, from, k, n, v);
        for (j = 0; j < n; j += ANYDIM_LANES) store(v + j, load(v + j) - splat(mean));
        lanes_add_squares(&sum, v, n);
      }
      rstd = 1.f / sqrtf(lanes_end(&sum) / (float)count + at->epsilon);
      for (k = 0; k < count; k += n) {
        n = count - k < ANYDIM_STRIP ? (int)(count - k) : ANYDIM_STRIP;
        norm_load(x, axis, from, k, n, v);
        for (j = 0; j < n; j += ANYDIM_LANES) store(v + j, (load(v + j) - splat(mean)) * splat(rstd));
        if (scale != NULL) {
          norm_load(scale, 0, (const float*)(const void*)scale->data, k, n, factor);
          if (bias == NULL)
            for (j = 0; j < n; j += ANYDIM_LANES) store(v + j, load(v + j) * load(factor + j));
        }
        if (bias != NULL) {
          float shift[ANYDIM_STRIP];
          norm_load(bias, 0, (const float*)(const void*)bias->data, k, n, shift);
          for (j = 0; j < n; j += ANYDIM_LANES)
            store(v + j, scale != NULL ? fma_(load(v + j), load(factor + j), load(shift + j)) : load(v + j) + load(shift + j));
        }
        norm_store(y, axis, to, k, n, v);
      }
    }
  } while (walk_next(&w));
  return 0;
}
