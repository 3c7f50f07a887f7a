/* SPDX-License-Identifier: Apache-2.0 */
/* Maxima and averages over windows, docs/numerics.md, section 5: channels side by side, taps in order, averages in blocks of 64 taps. */
#include "finish.h"

typedef struct pool_axis {
  int64_t in, out, window, stride, dilation, pad, pad_end, x_stride, y_stride;
} pool_axis;

int anydim_pooling(const void* attributes, const anydim_tensor* t, void* scratch) {
  const anydim_pooling_attributes* const at = (const anydim_pooling_attributes*)attributes;
  const anydim_tensor *const x = &t[0], *const y = &t[1];
  const float* const from = (const float*)(const void*)x->data;
  float* const to = (float*)(void*)y->data;
  const int spatial = x->rank - 2, lost = 3 - spatial;
  pool_axis axis[3];
  finisher finish;
  int64_t o[3], n, c, where[1][ANYDIM_RANK];
  int a;
  (void)scratch;
  for (a = 0; a < y->rank; ++a)
    if (y->dims[a] == 0) return 0;
  finish_begin(&finish, &at->posts, t + 2, y->rank, 1);
  for (a = 0; a < 3; ++a) {
    pool_axis* const p = &axis[a];
    const int here = a - lost + 2;
    memset(p, 0, sizeof *p);
    p->in = p->out = p->window = p->stride = p->dilation = 1;
    if (a < lost) continue;
    p->in = x->dims[here];
    p->out = y->dims[here];
    p->x_stride = x->strides[here];
    p->y_stride = y->strides[here];
    p->window = p->in;
    if (at->global) continue;
    p->window = at->window[a];
    p->stride = at->strides[a];
    p->dilation = at->dilations[a];
    p->pad = at->pads[a];
    p->pad_end = at->pads_end[a];
    if (at->same != 0) {
      int64_t total = (p->out - 1) * p->stride + (p->window - 1) * p->dilation + 1 - p->in;
      if (total < 0) total = 0;
      p->pad = at->same == 1 ? total / 2 : total - total / 2;
      p->pad_end = total - p->pad;
    }
  }
  for (n = 0; n < y->dims[0]; ++n)
    for (o[0] = 0; o[0] < axis[0].out; ++o[0])
      for (o[1] = 0; o[1] < axis[1].out; ++o[1])
        for (o[2] = 0; o[2] < axis[2].out; ++o[2]) {
          int64_t first[3], last[3], counted = 1, y_at = n * y->strides[0];
          int channels;
          where[0][0] = n;
          for (a = 0; a < 3; ++a) {
            const pool_axis* const p = &axis[a];
            const int64_t origin = o[a] * p->stride - p->pad;
            int64_t end;
            first[a] = origin >= 0 ? 0 : (-origin + p->dilation - 1) / p->dilation;
            last[a] = p->in - 1 - origin < 0 ? -1 : (p->in - 1 - origin) / p->dilation;
            if (last[a] > p->window - 1) last[a] = p->window - 1;
            end = last[a] - first[a] + 1;
            if (at->count_include_pad) {
              const int64_t limit = p->in + p->pad_end;
              end = limit <= origin ? 0 : (limit - 1 - origin) / p->dilation + 1;
              if (end > p->window) end = p->window;
            }
            counted *= end > 0 ? end : 0;
            y_at += o[a] * p->y_stride;
            if (a >= lost) where[0][a - lost + 2] = o[a];
          }
          for (c = 0; c < y->dims[1]; c += channels) {
            float sum[ANYDIM_STRIP], block[ANYDIM_STRIP], v[ANYDIM_STRIP];
            const int64_t step = x->strides[1];
            int64_t k[3], mine = -1;
            int j, blocks = 0;
            channels = y->dims[1] - c < ANYDIM_STRIP ? (int)(y->dims[1] - c) : ANYDIM_STRIP;
            for (j = 0; j < channels; j += ANYDIM_LANES) {
              store(sum + j, at->maximum ? from_bits(set_int((int32_t)0xff800000u)) : splat(0.f));
              store(block + j, splat(0.f));
            }
            for (k[0] = first[0]; k[0] <= last[0]; ++k[0])
              for (k[1] = first[1]; k[1] <= last[1]; ++k[1]) {
                const float* line = from + n * x->strides[0] + c * step;
                int64_t place = (k[0] * axis[1].window + k[1]) * axis[2].window + first[2];
                k[2] = first[2];
                for (a = 0; a < 3; ++a) line += (o[a] * axis[a].stride - axis[a].pad + k[a] * axis[a].dilation) * axis[a].x_stride;
                for (; k[2] <= last[2]; ++k[2], ++place, line += axis[2].dilation * axis[2].x_stride) {
                  const int64_t of = place / 64;
                  const float* element = line;
                  if (!at->maximum && of != mine && mine >= 0) {
                    for (j = 0; j < channels; j += ANYDIM_LANES) {
                      store(sum + j, blocks == 0 ? load(block + j) : load(sum + j) + load(block + j));
                      store(block + j, splat(0.f));
                    }
                    ++blocks;
                  }
                  mine = of;
                  if (step != 1) {
                    load_row(v, element, step, channels);
                    element = v;
                  }
                  for (j = 0; j < channels; j += ANYDIM_LANES) {
                    const vec e = step == 1 && channels - j < ANYDIM_LANES ? load_some(element + j, channels - j) : load(element + j);
                    if (at->maximum) store(sum + j, max_(load(sum + j), e));
                    else store(block + j, load(block + j) + e);
                  }
                }
              }
            for (j = 0; !at->maximum && j < channels; j += ANYDIM_LANES) {
              const vec total = blocks == 0 ? load(block + j) : load(sum + j) + load(block + j);
              store(sum + j, total / splat((float)counted));
            }
            where[0][1] = c;
            finish_rows(&finish, sum, 1, whole(channels), channels, (const int64_t(*)[ANYDIM_RANK])where);
            store_row(to + y_at + c * y->strides[1], y->strides[1], sum, channels);
          }
        }
  return 0;
}
