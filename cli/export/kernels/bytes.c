/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions and products of matrices of 8-bit numbers, docs/numerics.md, section 1: sums are exact, modulo 2^32, then they are scaled. */
#include "positions.h"
#include "integer_store.h"

#if ANYDIM_LANES == 1
typedef uint32_t sums_vec;
ANYDIM_INLINE ivec load_bytes(const int8_t* p) { return *p; }
#else
typedef uvec sums_vec;
typedef int8_t bvec __attribute__((vector_size(ANYDIM_LANES)));
ANYDIM_INLINE ivec load_bytes(const int8_t* p) {
  bvec b;
  memcpy(&b, p, sizeof b);
  return __builtin_convertvector(b, ivec);
}
#endif

ANYDIM_INLINE int32_t number_at(const unsigned char* p, int is_signed) { return is_signed && *p > 127 ? (int32_t)*p - 256 : (int32_t)*p; }

/* total[r][j] = sum over k of (a[r][k] - zero) * w[k][j]. */
static void byte_tile(const unsigned char* const* a, int is_signed, int32_t zero, const window* of, const int8_t* w, uint32_t* total) {
  sums_vec sum[ANYDIM_ROWS][ANYDIM_PARTS];
  int r, p, t;
  int32_t c;
  memset(sum, 0, sizeof sum);
  for (t = 0; t < of->taps; ++t) {
    const int8_t* b = w + (int64_t)of->places[t] * of->channels * ANYDIM_PANEL;
    int64_t at = of->offsets[t];
    for (c = 0; c < of->channels; ++c) {
      ivec column[ANYDIM_PARTS];
      ANYDIM_UNROLL for (p = 0; p < ANYDIM_PARTS; ++p) column[p] = load_bytes(b + p * ANYDIM_LANES);
      ANYDIM_UNROLL for (r = 0; r < ANYDIM_ROWS; ++r) {
        const ivec x = set_int(number_at(a[r] + at, is_signed) - zero);
        ANYDIM_UNROLL for (p = 0; p < ANYDIM_PARTS; ++p) sum[r][p] += (sums_vec)(x * column[p]);
      }
      at += of->step;
      b += ANYDIM_PANEL;
    }
  }
  memcpy(total, sum, sizeof sum);
}

/* The same where each of the 16 channels has taps of its own. */
static void byte_depthwise(const unsigned char* const* a, int is_signed, int32_t zero, const window* of, const int8_t* w, int64_t step,
                           int count, uint32_t* total) {
  int r, j, t;
  for (r = 0; r < ANYDIM_ROWS; ++r)
    for (j = 0; j < ANYDIM_PANEL; ++j) {
      uint32_t sum = 0;
      for (t = 0; j < count && t < of->taps; ++t)
        sum += (uint32_t)((number_at(a[r] + of->offsets[t] + j * step, is_signed) - zero) * w[(int64_t)of->places[t] * ANYDIM_PANEL + j]);
      total[r * ANYDIM_PANEL + j] = sum;
    }
}

/* Of rows [row, row + rows) and `count` columns from `column` of the panels on, of which `base` is the first one's place in scales and biases. */
static void byte_finish(const anydim_bytes_attributes* at, const row_job* job, uint32_t* total, int row, int rows, int64_t base,
                        int64_t column, int count) {
  int64_t where[ANYDIM_ROWS][ANYDIM_RANK];
  float v[ANYDIM_ROWS * ANYDIM_PANEL];
  const int64_t at_y = job->first + column, place = base + column;
  const int size = at->to == ANYDIM_f32 || at->to == ANYDIM_i32 ? 4 : 1;
  char* const y = (char*)(void*)job->y;
  int r, j;
  for (r = 0; r < rows; ++r)
    for (j = 0; j < ANYDIM_PANEL; ++j) {
      uint32_t* const t = &total[r * ANYDIM_PANEL + j];
      float* const f = &v[r * ANYDIM_PANEL + j];
      int32_t whole;
      if (at->bias_whole != NULL) *t += (uint32_t)at->bias_whole[place + j];
      memcpy(&whole, t, 4);
      *f = (float)whole;
      if (at->scales != NULL) *f = at->scales[place + j] * *f;
      if (at->bias != NULL) *f = *f + at->bias[place + j];
    }
  if (job->finish.operands > 0) {
    memcpy(where, job->where[row], (size_t)rows * sizeof where[0]);
    for (r = 0; r < rows; ++r) where[r][job->finish.axis] = at_y;
  }
  finish_rows(&job->finish, v, rows, ANYDIM_PANEL, count, (const int64_t(*)[ANYDIM_RANK])where);
  for (r = 0; r < rows; ++r) {
    char* const to = y + (job->out[row + r] + at_y * job->y_step) * size;
    if (at->to == ANYDIM_i32)
      for (j = 0; j < count; ++j) memcpy(to + j * job->y_step * 4, &total[r * ANYDIM_PANEL + j], 4);
    else store_numbers(to, job->y_step, at->to, at->rescaled, at->y_scale, at->y_zero, v + r * ANYDIM_PANEL, count);
  }
}

/* All columns of the rows that are collected. */
static void byte_rows(row_job* job, const void* attributes, int64_t x_channel) {
  const anydim_bytes_attributes* const at = (const anydim_bytes_attributes*)attributes;
  const unsigned char* const x = (const unsigned char*)(const void*)job->x;
  const int columns = at->depthwise ? at->window.group : at->window.outputs, groups = at->depthwise ? 1 : at->window.group;
  const int panels = (columns + ANYDIM_PANEL - 1) / ANYDIM_PANEL;
  const int8_t* w = at->weights;
  int g, p, row, n, r;
  for (g = 0; g < groups; ++g) {
    job->first = (int64_t)g * columns;
    for (p = 0; p < panels; ++p, w += job->w_panel) {
      const int count = columns - p * ANYDIM_PANEL < ANYDIM_PANEL ? columns - p * ANYDIM_PANEL : ANYDIM_PANEL;
      for (row = 0; row < job->rows; row += n) {
        const unsigned char* a[ANYDIM_ROWS];
        uint32_t total[ANYDIM_ROWS * ANYDIM_PANEL];
        const int64_t from = (at->depthwise ? (int64_t)p * ANYDIM_PANEL : (int64_t)g * at->window.channels) * x_channel;
        n = job->rows - row < ANYDIM_ROWS ? job->rows - row : ANYDIM_ROWS;
        for (r = 0; r < ANYDIM_ROWS; ++r) a[r] = x + job->in[row + (r < n ? r : n - 1)] + from;
        if (at->depthwise) byte_depthwise(a, at->x_signed, at->x_zero, &job->of, w, x_channel, count, total);
        else byte_tile(a, at->x_signed, at->x_zero, &job->of, w, total);
        byte_finish(at, job, total, row, n, (int64_t)g * panels * ANYDIM_PANEL, (int64_t)p * ANYDIM_PANEL, count);
      }
    }
  }
  job->rows = 0;
}

/* Operands: x, y, post-ops'. Scratch: an offset and a place for each tap. */
int anydim_byte_convolution(const void* attributes, const anydim_tensor* t, void* scratch) {
  const anydim_bytes_attributes* const at = (const anydim_bytes_attributes*)attributes;
  const anydim_window* const g = &at->window;
  row_job job;
  job.w_panel = (int64_t)g->kernel[0] * g->kernel[1] * g->kernel[2] * (at->depthwise ? 1 : g->channels) * ANYDIM_PANEL;
  positions_run(g, &at->posts, t, scratch, &job, byte_rows, attributes);
  return 0;
}

/* Operands: a, y, post-ops'. window: channels are k, outputs the columns. */
int anydim_byte_matmul(const void* attributes, const anydim_tensor* t, void* scratch) {
  const anydim_bytes_attributes* const at = (const anydim_bytes_attributes*)attributes;
  const anydim_tensor *const a = &t[0], *const y = &t[1];
  const int rank = y->rank;
  static const int64_t offset = 0;
  static const int32_t place = 0;
  int64_t at_row[ANYDIM_RANK] = {0}, by[ANYDIM_RANK];
  row_job job;
  int i;
  (void)scratch;
  for (i = 0; i < rank; ++i)
    if (y->dims[i] == 0) return 0;
  broadcast_strides(a, rank, by);
  job.x = (const float*)(const void*)a->data;
  job.y = (float*)(void*)y->data;
  job.y_step = y->strides[rank - 1];
  job.w_panel = (int64_t)at->window.channels * ANYDIM_PANEL;
  job.rows = 0;
  job.of.offsets = &offset;
  job.of.places = &place;
  job.of.taps = 1;
  job.of.channels = at->window.channels;
  job.of.step = a->strides[a->rank - 1];
  finish_begin(&job.finish, &at->posts, y + 1, rank, rank - 1);
  for (;;) {
    int64_t* const where = job.where[job.rows];
    job.in[job.rows] = job.out[job.rows] = 0;
    for (i = 0; i < rank - 1; ++i) {
      where[i] = at_row[i];
      job.in[job.rows] += at_row[i] * by[i];
      job.out[job.rows] += at_row[i] * y->strides[i];
    }
    if (++job.rows == ANYDIM_CHUNK) byte_rows(&job, attributes, job.of.step);
    for (i = rank - 2; i >= 0 && ++at_row[i] == y->dims[i]; --i) at_row[i] = 0;
    if (i < 0) break;
  }
  if (job.rows > 0) byte_rows(&job, attributes, job.of.step);
  return 0;
}
