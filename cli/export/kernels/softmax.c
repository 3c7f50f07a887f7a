/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax over an axis, docs/numerics.md, section 3: in lanes along the last axis, in a chain of blocks along any other. */
#include "finish.h"
#include "lanes.h"

/* Of the last axis: `count` elements. */
static void softmax_line(const anydim_softmax_attributes* at, const float* x, int64_t x_step, float* y, int64_t y_step, int64_t count) {
  float v[ANYDIM_STRIP];
  lanes sum;
  vec most = from_bits(set_int((int32_t)0xff800000u));
  float m, s;
  int64_t i;
  int n, j;
  for (i = 0; i < count; i += n) {
    n = count - i < ANYDIM_STRIP ? (int)(count - i) : ANYDIM_STRIP;
    load_row(v, x + i * x_step, x_step, n);
    for (j = n; j % ANYDIM_LANES != 0; ++j) v[j] = v[0];
    for (j = 0; j < n; j += ANYDIM_LANES) most = max_(most, load(v + j));
  }
  m = greatest(most);
  lanes_begin(&sum);
  for (i = 0; i < count; i += n) {
    n = count - i < ANYDIM_STRIP ? (int)(count - i) : ANYDIM_STRIP;
    load_row(v, x + i * x_step, x_step, n);
    for (j = 0; j < n; j += ANYDIM_LANES) store(v + j, exp_(load(v + j) - splat(m)));
    if (!at->logarithm) store_row(y + i * y_step, y_step, v, n);
    lanes_add(&sum, v, n);
  }
  s = lanes_end(&sum);
  if (at->logarithm) s = one(log_(splat(s)));
  else s = 1.f / s;
  for (i = 0; i < count; i += n) {
    n = count - i < ANYDIM_STRIP ? (int)(count - i) : ANYDIM_STRIP;
    if (at->logarithm) load_row(v, x + i * x_step, x_step, n);
    else load_row(v, y + i * y_step, y_step, n);
    for (j = 0; j < n; j += ANYDIM_LANES) {
      if (at->logarithm) store(v + j, (load(v + j) - splat(m)) - splat(s));
      else store(v + j, load(v + j) * splat(s));
    }
    store_row(y + i * y_step, y_step, v, n);
  }
}

/* Of another axis: `n` lines side by side, each of `count` elements, x_line and y_line apart. */
static void softmax_lines(const anydim_softmax_attributes* at, const float* x, int64_t x_step, int64_t x_line, float* y, int64_t y_step,
                          int64_t y_line, int64_t count, int n) {
  float v[ANYDIM_STRIP], m[ANYDIM_STRIP], acc[ANYDIM_STRIP], sum[ANYDIM_STRIP];
  int64_t i;
  int j;
  for (j = 0; j < whole(n); j += ANYDIM_LANES) store(m + j, from_bits(set_int((int32_t)0xff800000u)));
  for (i = 0; i < count; ++i) {
    load_row(v, x + i * x_step, x_line, n);
    for (j = 0; j < n; j += ANYDIM_LANES) store(m + j, max_(load(m + j), load(v + j)));
  }
  for (i = 0; i < count; ++i) {
    load_row(v, x + i * x_step, x_line, n);
    for (j = 0; j < n; j += ANYDIM_LANES) {
      const vec e = exp_(load(v + j) - load(m + j));
      store(v + j, e);
      if (i % 64 == 0) {
        if (i > 0) store(sum + j, i == 64 ? load(acc + j) : load(sum + j) + load(acc + j));
        store(acc + j, splat(0.f) + e);
      } else {
        store(acc + j, load(acc + j) + e);
      }
    }
    if (!at->logarithm) store_row(y + i * y_step, y_line, v, n);
  }
  for (j = 0; j < n; j += ANYDIM_LANES) {
    const vec s = count <= 64 ? load(acc + j) : load(sum + j) + load(acc + j);
    store(sum + j, at->logarithm ? log_(s) : splat(1.f) / s);
  }
  for (i = 0; i < count; ++i) {
    if (at->logarithm) load_row(v, x + i * x_step, x_line, n);
    else load_row(v, y + i * y_step, y_line, n);
    for (j = 0; j < n; j += ANYDIM_LANES) {
      if (at->logarithm) store(v + j, (load(v + j) - load(m + j)) - load(sum + j));
      else store(v + j, load(v + j) * load(sum + j));
    }
    store_row(y + i * y_step, y_line, v, n);
  }
}

/* As softmax_lines(), for at most one block of elements in as many lines as a vector has lanes: turned, so that lines lie side by side. */
#define ANYDIM_SUM_BLOCK 64
static void softmax_turned(const anydim_softmax_attributes* at, const float* x, int64_t x_step, int64_t x_line, float* y, int64_t y_step,
                           int64_t y_line, int count, int n) {
  float v[ANYDIM_SUM_BLOCK * ANYDIM_LANES];
  vec m = from_bits(set_int((int32_t)0xff800000u)), s = splat(0.f);
  int i, l;
  for (l = 0; l < n; ++l)
    for (i = 0; i < count; ++i) v[i * ANYDIM_LANES + l] = x[i * x_step + l * x_line];
  for (; l < ANYDIM_LANES; ++l)
    for (i = 0; i < count; ++i) v[i * ANYDIM_LANES + l] = 0.f;
  for (i = 0; i < count; ++i) m = max_(m, load(v + i * ANYDIM_LANES));
  for (i = 0; i < count; ++i) {
    const vec d = load(v + i * ANYDIM_LANES) - m, e = exp_(d);
    store(v + i * ANYDIM_LANES, at->logarithm ? d : e);
    s = s + e;
  }
  s = at->logarithm ? log_(s) : splat(1.f) / s;
  for (i = 0; i < count; ++i) {
    const vec e = load(v + i * ANYDIM_LANES);
    store(v + i * ANYDIM_LANES, at->logarithm ? e - s : e * s);
  }
  for (l = 0; l < n; ++l)
    for (i = 0; i < count; ++i) y[i * y_step + l * y_line] = v[i * ANYDIM_LANES + l];
}

int anydim_softmax(const void* attributes, const anydim_tensor* t, void* scratch) {
  const anydim_softmax_attributes* const at = (const anydim_softmax_attributes*)attributes;
  const int axis = at->axis, last = axis == t[1].rank - 1;
  const int64_t count = t[1].dims[axis], x_step = t[0].strides[axis], y_step = t[1].strides[axis];
  anydim_tensor others[2];
  walk w;
  (void)scratch;
  if (count == 0) return 0;
  others[0] = t[0];
  others[1] = t[1];
  others[0].dims[axis] = others[1].dims[axis] = 1;
  if (!walk_begin(&w, others, 2, 1)) return 0;
  do {
    int64_t from;
    int n;
    for (from = 0; from < walk_length(&w); from += n) {
      const float* const x = (const float*)(const void*)t[0].data + w.at[0] + from * walk_step(&w, 0);
      float* const y = (float*)(void*)t[1].data + w.at[1] + from * walk_step(&w, 1);
      const int turned = !last && count <= ANYDIM_SUM_BLOCK && walk_step(&w, 0) != 1, most = last     ? 1
                                                                                             : turned ? ANYDIM_LANES
                                                                                                      : ANYDIM_STRIP;
      n = walk_length(&w) - from < most ? (int)(walk_length(&w) - from) : most;
      if (last) softmax_line(at, x, x_step, y, y_step, count);
      else if (turned) softmax_turned(at, x, x_step, walk_step(&w, 0), y, y_step, walk_step(&w, 1), (int)count, n);
      else softmax_lines(at, x, x_step, walk_step(&w, 0), y, y_step, walk_step(&w, 1), count, n);
    }
  } while (walk_next(&w));
  return 0;
}
