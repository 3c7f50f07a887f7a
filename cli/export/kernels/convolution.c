/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution, transposed or not, and depthwise: taps outside the input are skipped, so output positions are taken in runs that have the
   same taps. Tiles of positions by panels of 16 output channels. */
#include "positions.h"

/* total[r][j] = sum over taps of a[r][tap][j] * w[tap][j] for 16 channels, or for `count` of them. */
ANYDIM_INLINE void depthwise_sums(const int rows, const int all, int count, const float* const* a, const window* of, const float* w,
                                  float* total) {
  vec sum[ANYDIM_ROWS][ANYDIM_PARTS];
  int r, p, t, first = 1, block = -1;
  ANYDIM_UNROLL for (r = 0; r < rows; ++r) { ANYDIM_UNROLL for (p = 0; p < ANYDIM_PARTS; ++p) sum[r][p] = splat(0.f); }
  for (t = 0; t < of->taps; ++t) {
    const int mine = of->places[t] / ANYDIM_BLOCK;
    const float* const b = w + (int64_t)of->places[t] * ANYDIM_PANEL;
    const int64_t at = of->offsets[t];
    vec column[ANYDIM_PARTS];
    if (mine != block && block >= 0) {
      float* to = total;
      ANYDIM_UNROLL for (r = 0; r < rows; ++r) {
        ANYDIM_UNROLL for (p = 0; p < ANYDIM_PARTS; ++p) {
          store(to, first ? sum[r][p] : load(to) + sum[r][p]);
          sum[r][p] = splat(0.f);
          to += ANYDIM_LANES;
        }
      }
      first = 0;
    }
    block = mine;
    ANYDIM_UNROLL for (p = 0; p < ANYDIM_PARTS; ++p) column[p] = load(b + p * ANYDIM_LANES);
    ANYDIM_UNROLL for (r = 0; r < rows; ++r) {
      ANYDIM_UNROLL for (p = 0; p < ANYDIM_PARTS; ++p) {
        const float* const x = a[r] + at + p * ANYDIM_LANES;
        const int here = count - p * ANYDIM_LANES;
        if (all || here >= ANYDIM_LANES) sum[r][p] = fma_(load(x), column[p], sum[r][p]);
        else if (here > 0) sum[r][p] = fma_(load_some(x, here), column[p], sum[r][p]);
      }
    }
  }
  ANYDIM_UNROLL for (r = 0; r < rows; ++r) {
    ANYDIM_UNROLL for (p = 0; p < ANYDIM_PARTS; ++p) {
      store(total, first ? sum[r][p] : load(total) + sum[r][p]);
      total += ANYDIM_LANES;
    }
  }
}
/* The same where channels are not beside each other. */
static void depthwise_some(int rows, const float* const* a, const window* of, const float* w, int64_t step, int count, float* total) {
  int r, j, t;
  for (r = 0; r < rows; ++r)
    for (j = 0; j < ANYDIM_PANEL; ++j) {
      float sum = 0.f, all = 0.f;
      int first = 1, block = -1;
      for (t = 0; j < count && t < of->taps; ++t) {
        const int mine = of->places[t] / ANYDIM_BLOCK;
        if (mine != block && block >= 0) {
          all = first ? sum : all + sum;
          first = 0;
          sum = 0.f;
        }
        block = mine;
        sum = fma1(a[r][of->offsets[t] + j * step], w[(int64_t)of->places[t] * ANYDIM_PANEL + j], sum);
      }
      total[r * ANYDIM_PANEL + j] = first ? sum : all + sum;
    }
}

/* All channels of the rows that are collected. x_channel: from channel to channel of x. */
static void depthwise_rows(row_job* job, int64_t x_channel) {
  int p, row, r, n;
  for (p = 0; p < job->columns; p += ANYDIM_PANEL) {
    const float* const w = job->w + p / ANYDIM_PANEL * job->w_panel;
    const int count = job->columns - p < ANYDIM_PANEL ? job->columns - p : ANYDIM_PANEL;
    for (row = 0; row < job->rows; row += n) {
      const float* a[ANYDIM_ROWS];
      float total[ANYDIM_ROWS * ANYDIM_PANEL];
      n = job->rows - row < ANYDIM_ROWS ? job->rows - row : ANYDIM_ROWS;
      for (r = 0; r < ANYDIM_ROWS; ++r) a[r] = job->x + job->in[row + (r < n ? r : n - 1)] + p * x_channel;
      if (x_channel == 1 && count == ANYDIM_PANEL) depthwise_sums(ANYDIM_ROWS, 1, count, a, &job->of, w, total);
      else if (x_channel == 1) depthwise_sums(ANYDIM_ROWS, 0, count, a, &job->of, w, total);
      else depthwise_some(n, a, &job->of, w, x_channel, count, total);
      rows_finish(job, total, row, n, ANYDIM_PANEL, p, count);
    }
  }
  job->rows = 0;
}

static void conv_rows(row_job* job, const anydim_convolution_attributes* at, int64_t x_channel, int depthwise) {
  const float* const x = job->x;
  const int rows = job->rows;
  int g;
  job->w = at->weights;
  job->bias = at->bias;
  job->first = 0;
  if (depthwise) {
    depthwise_rows(job, x_channel);
    return;
  }
  for (g = 0; g < at->window.group; ++g) {
    job->x = x + (int64_t)g * at->window.channels * x_channel;
    job->first = (int64_t)g * at->window.outputs;
    job->rows = rows;
    rows_run(job);
    job->w += (int64_t)(at->window.outputs + ANYDIM_PANEL - 1) / ANYDIM_PANEL * job->w_panel;
    if (job->bias != NULL) job->bias += (at->window.outputs + ANYDIM_PANEL - 1) / ANYDIM_PANEL * ANYDIM_PANEL;
  }
  job->x = x;
}

static void conv_flush(row_job* job, const void* attributes, int64_t x_channel) {
  conv_rows(job, (const anydim_convolution_attributes*)attributes, x_channel, 0);
}
static void depthwise_flush(row_job* job, const void* attributes, int64_t x_channel) {
  conv_rows(job, (const anydim_convolution_attributes*)attributes, x_channel, 1);
}

static void conv_all(const void* attributes, const anydim_tensor* t, void* scratch, int depthwise) {
  const anydim_convolution_attributes* const at = (const anydim_convolution_attributes*)attributes;
  const anydim_window* const g = &at->window;
  const int64_t taps = (int64_t)g->kernel[0] * g->kernel[1] * g->kernel[2];
  row_job job;
  job.w_step = ANYDIM_PANEL;
  job.w_panel = (depthwise ? taps : taps * g->channels) * ANYDIM_PANEL;
  job.columns = depthwise ? g->group : g->outputs;
  positions_run(g, &at->posts, t, scratch, &job, depthwise ? depthwise_flush : conv_flush, attributes);
}

int anydim_convolution(const void* attributes, const anydim_tensor* t, void* scratch) {
  conv_all(attributes, t, scratch, 0);
  return 0;
}
int anydim_depthwise(const void* attributes, const anydim_tensor* t, void* scratch) {
  conv_all(attributes, t, scratch, 1);
  return 0;
}
