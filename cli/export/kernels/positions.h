/* SPDX-License-Identifier: Apache-2.0 */
/* Output positions of a convolution, transposed or not. Taps outside the input are skipped, so positions are taken in runs that have the
   same taps; rows of them are collected and handed on. */
#ifndef ANYDIM_POSITIONS_H
#define ANYDIM_POSITIONS_H

#include "axes.h"
#include "rows.h"

/* The rows that are collected: all channels of the result. x_channel: from channel to channel of x. */
typedef void flush_rows(row_job* job, const void* attributes, int64_t x_channel);

/* Output positions start, start + step, ... whose taps are first, first + every, ..., and where the first tap of the first one reads. */
typedef struct conv_run {
  int64_t start, step, count, first, every, taps, at, at_step, tap_step;
} conv_run;

/* The taps of one output position. */
static void conv_taps(const conv_axis* a, int64_t o, int64_t* first, int64_t* every, int64_t* taps, int64_t* at) {
  int64_t k, last;
  *taps = 0;
  *every = 1;
  *first = *at = 0;
  if (!a->transposed) {
    const int64_t origin = o * a->stride - a->pad;
    k = origin >= 0 ? 0 : (-origin + a->dilation - 1) / a->dilation;
    last = a->in - 1 - origin < 0 ? -1 : (a->in - 1 - origin) / a->dilation;
    if (last > a->kernel - 1) last = a->kernel - 1;
    if (k > last) return;
    *first = k;
    *taps = last - k + 1;
    *at = origin + k * a->dilation;
    return;
  }
  for (k = 0; k < a->kernel; ++k) {
    const int64_t from = o + a->pad - k * a->dilation;
    if (from < 0) break;
    if (from % a->stride != 0 || from / a->stride >= a->in) continue;
    if (*taps == 0) {
      *first = k;
      *at = from / a->stride;
    } else if (*taps == 1) {
      *every = k - *first;
    }
    ++*taps;
  }
}

/* The run that begins at `start`. */
static conv_run conv_run_at(const conv_axis* a, int64_t start) {
  conv_run r;
  int64_t first, every, taps, at, o;
  r.start = start;
  r.step = a->transposed ? a->stride : 1;
  r.count = 1;
  conv_taps(a, start, &r.first, &r.every, &r.taps, &r.at);
  r.at_step = a->transposed ? 1 : a->stride;
  r.tap_step = a->transposed ? -(r.every * a->dilation / a->stride) : a->dilation;
  for (o = start + r.step; o < a->out; o += r.step) {
    conv_taps(a, o, &first, &every, &taps, &at);
    if (first != r.first || every != r.every || taps != r.taps) break;
    ++r.count;
  }
  return r;
}
/* Calls of this give all runs of an axis, one after another: where the next one begins, or -1. */
static int64_t conv_next(const conv_axis* a, const conv_run* r) {
  const int64_t next = r->start + r->count * r->step, phase = r->start % r->step + 1;
  if (next < a->out) return next;
  return phase < r->step && phase < a->out ? phase : -1;
}

/* Scratch: an offset and a place for each tap of the kernel. */
static ANYDIM_UNUSED void positions_run(const anydim_window* at, const anydim_posts* posts, const anydim_tensor* t, void* scratch,
                                        row_job* job, flush_rows* flush, const void* attributes) {
  const anydim_tensor *const x = &t[0], *const y = &t[1];
  const int64_t taps = (int64_t)at->kernel[0] * at->kernel[1] * at->kernel[2];
  int64_t* const offsets = (int64_t*)scratch;
  int32_t* const places = (int32_t*)(void*)(offsets + taps);
  const int lost = 3 - at->spatial; /* axes that are not there come first */
  conv_axis axis[3];
  conv_run run[3];
  int64_t start[3], n, i[3], k[3], y_stride[3];
  int a;
  job->x = (const float*)(const void*)x->data;
  job->y = (float*)(void*)y->data;
  job->y_step = y->strides[1];
  job->rows = 0;
  for (n = 0; n < y->rank; ++n)
    if (y->dims[n] == 0) return;
  finish_begin(&job->finish, posts, t + 2, y->rank, 1);
  conv_axes(at, x, y, axis);
  for (a = 0; a < 3; ++a) y_stride[a] = a < lost ? 0 : y->strides[a - lost + 2];
  for (start[0] = 0; start[0] >= 0; start[0] = conv_next(&axis[0], &run[0])) {
    run[0] = conv_run_at(&axis[0], start[0]);
    for (start[1] = 0; start[1] >= 0; start[1] = conv_next(&axis[1], &run[1])) {
      run[1] = conv_run_at(&axis[1], start[1]);
      for (start[2] = 0; start[2] >= 0; start[2] = conv_next(&axis[2], &run[2])) {
        int32_t count = 0;
        run[2] = conv_run_at(&axis[2], start[2]);
        for (k[0] = 0; k[0] < run[0].taps; ++k[0])
          for (k[1] = 0; k[1] < run[1].taps; ++k[1])
            for (k[2] = 0; k[2] < run[2].taps; ++k[2]) {
              int64_t place = 0;
              offsets[count] = 0;
              for (a = 0; a < 3; ++a) {
                place = place * at->kernel[a] + run[a].first + k[a] * run[a].every;
                offsets[count] += k[a] * run[a].tap_step * axis[a].x_stride;
              }
              places[count++] = (int32_t)place;
            }
        job->of.offsets = offsets;
        job->of.places = places;
        job->of.taps = count;
        job->of.channels = at->channels;
        job->of.step = x->strides[1];
        for (n = 0; n < y->dims[0]; ++n)
          for (i[0] = 0; i[0] < run[0].count; ++i[0])
            for (i[1] = 0; i[1] < run[1].count; ++i[1])
              for (i[2] = 0; i[2] < run[2].count; ++i[2]) {
                int64_t* const where = job->where[job->rows];
                int64_t in = n * x->strides[0], out = n * y->strides[0];
                where[0] = n;
                for (a = 0; a < 3; ++a) {
                  const int64_t o = run[a].start + i[a] * run[a].step;
                  in += (run[a].at + i[a] * run[a].at_step) * axis[a].x_stride;
                  out += o * y_stride[a];
                  if (a >= lost) where[a - lost + 2] = o;
                }
                job->in[job->rows] = count > 0 ? in : 0;
                job->out[job->rows] = out;
                if (++job->rows == ANYDIM_CHUNK) flush(job, attributes, x->strides[1]);
              }
        if (job->rows > 0) flush(job, attributes, x->strides[1]);
      }
    }
  }
}

#endif
