/* SPDX-License-Identifier: Apache-2.0 */
/* Interpolation to other dims, docs/numerics.md, section 6: nearest of elements of any size, linear of floats; coordinates are binary64. */
#include "copy.h"
#include "finish.h"

enum { HALF_PIXEL, HALF_PIXEL_SYMMETRIC, PYTORCH_HALF_PIXEL, ALIGN_CORNERS, ASYMMETRIC, TF_HALF_PIXEL_FOR_NN };

typedef struct resize_axis {
  int64_t in, out;
  double scale;
  int identity;
} resize_axis;

static double below(double c) {
  const double whole = (double)(int64_t)c;
  return whole > c ? whole - 1 : whole;
}

static double coordinate(int how, const resize_axis* a, int64_t x) {
  const double at = (double)x, in = (double)a->in, out = (double)a->out;
  switch (how) {
    case HALF_PIXEL: return (at + 0.5) / a->scale - 0.5;
    case HALF_PIXEL_SYMMETRIC: {
      const double exact_out = a->scale * in, adjustment = out / exact_out, centre = in / 2;
      const double first = centre * (1 - adjustment), second = (at + 0.5) / a->scale;
      return first + second - 0.5;
    }
    case PYTORCH_HALF_PIXEL: return a->out <= 1 ? 0.0 : (at + 0.5) / a->scale - 0.5;
    case ALIGN_CORNERS: return a->out <= 1 ? 0.0 : at * (in - 1) / (out - 1);
    case ASYMMETRIC: return at / a->scale;
    default: return (at + 0.5) / a->scale;
  }
}

/* The elements of an axis that position x is made of, and their weights; one of nearest. */
static int resize_taps(const anydim_resize_attributes* at, const resize_axis* a, int64_t x, int64_t* index, float* weight) {
  double c, base, t, sum = 0, w[2];
  int i, excluded = 0;
  weight[0] = 1.f;
  if (a->identity) {
    index[0] = x;
    return 1;
  }
  c = coordinate(at->coordinates, a, x);
  if (!at->linear) {
    double place = 0;
    switch (at->nearest) {
      case 0: place = -below(-(c - 0.5)); break;
      case 1: place = below(c + 0.5); break;
      case 2: place = below(c); break;
      default: place = -below(-c); break;
    }
    index[0] = place < 0 ? 0 : place > (double)(a->in - 1) ? a->in - 1 : (int64_t)place;
    return 1;
  }
  base = below(c);
  t = c - base;
  w[0] = 1 - t;
  w[1] = t;
  for (i = 0; i < 2; ++i) {
    const double place = base + i;
    index[i] = place < 0 ? 0 : place > (double)(a->in - 1) ? a->in - 1 : (int64_t)place;
    if (at->exclude_outside && (place < 0 || place > (double)(a->in - 1))) {
      w[i] = 0;
      excluded = 1;
    }
    sum += w[i];
  }
  for (i = 0; i < 2; ++i) weight[i] = (float)(excluded ? w[i] / sum : w[i]);
  if (!excluded) weight[0] = 1.f - weight[1];
  return 2;
}

/* A line of one of the operands along the inner axis, interpolated along the axes from `axis` on, the last of them first. */
static void resize_line(const anydim_tensor* x, int axis, int inner, const int* taps, const int64_t (*index)[2], const float (*weight)[2],
                        int64_t at, int n, float* to) {
  float v[ANYDIM_STRIP];
  int i, j;
  while (axis < x->rank && (axis == inner || taps[axis] == 1)) {
    if (axis != inner) at += index[axis][0] * x->strides[axis];
    ++axis;
  }
  if (axis >= x->rank) {
    load_row(to, (const float*)(const void*)x->data + at, x->strides[inner], n);
    return;
  }
  for (i = 0; i < taps[axis]; ++i) {
    resize_line(x, axis + 1, inner, taps, index, weight, at + index[axis][i] * x->strides[axis], n, i == 0 ? to : v);
    for (j = 0; j < n; j += ANYDIM_LANES)
      store(to + j, i == 0 ? splat(weight[axis][0]) * load(to + j) : fma_(splat(weight[axis][i]), load(v + j), load(to + j)));
  }
}

/* Operands: x, y, post-ops'. */
int anydim_resize(const void* attributes, const anydim_tensor* t, void* scratch) {
  const anydim_resize_attributes* const at = (const anydim_resize_attributes*)attributes;
  const anydim_tensor *const x = &t[0], *const y = &t[1];
  const int rank = y->rank, inner = at->inner;
  resize_axis axis[ANYDIM_RANK];
  int64_t place[1][ANYDIM_RANK] = {{0}};
  finisher finish;
  int i;
  (void)scratch;
  for (i = 0; i < rank; ++i) {
    resize_axis* const a = &axis[i];
    if (y->dims[i] == 0) return 0;
    a->in = x->dims[i];
    a->out = y->dims[i];
    a->scale = at->scaled >> i & 1 ? (at->by_sizes ? (double)a->out / (double)a->in : (double)at->scales[i]) : 1.0;
    a->identity = !(at->scaled >> i & 1) || (a->in == a->out && a->scale == 1.0);
  }
  finish_begin(&finish, &at->posts, t + 2, rank, inner);
  for (;;) {
    int64_t index[ANYDIM_RANK][2], y_at = 0, from;
    float weight[ANYDIM_RANK][2];
    int taps[ANYDIM_RANK], n;
    for (i = 0; i < rank; ++i) {
      if (i == inner) continue;
      taps[i] = resize_taps(at, &axis[i], place[0][i], index[i], weight[i]);
      y_at += place[0][i] * y->strides[i];
    }
    if (!at->linear && at->posts.count == 0) {
      int64_t x_at = 0, o;
      for (i = 0; i < rank; ++i)
        if (i != inner) x_at += index[i][0] * x->strides[i];
      if (axis[inner].identity) {
        copy_line(y->data + y_at * y->size, y->strides[inner], x->data + x_at * y->size, x->strides[inner], y->dims[inner], y->size);
      } else {
        for (o = 0; o < y->dims[inner]; ++o) {
          resize_taps(at, &axis[inner], o, index[inner], weight[inner]);
          memcpy(y->data + (y_at + o * y->strides[inner]) * y->size, x->data + (x_at + index[inner][0] * x->strides[inner]) * y->size,
                 (size_t)y->size);
        }
      }
    } else {
      for (from = 0; from < y->dims[inner]; from += n) {
        float v[ANYDIM_STRIP];
        n = y->dims[inner] - from < ANYDIM_STRIP ? (int)(y->dims[inner] - from) : ANYDIM_STRIP;
        resize_line(x, 0, inner, taps, (const int64_t(*)[2])index, (const float(*)[2])weight, from * x->strides[inner], n, v);
        place[0][inner] = from;
        finish_rows(&finish, v, 1, whole(n), n, (const int64_t(*)[ANYDIM_RANK])place);
        store_row((float*)(void*)y->data + y_at + from * y->strides[inner], y->strides[inner], v, n);
      }
      place[0][inner] = 0;
    }
    for (i = rank - 1; i >= 0; --i) {
      if (i == inner) continue;
      if (++place[0][i] < y->dims[i]) break;
      place[0][i] = 0;
    }
    if (i < 0) return 0;
  }
}
