/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices: b packed beforehand, or as it comes, when panels of 16 columns are packed as they are needed. */
#include "rows.h"

/* The rows of one matrix of the batch are collected; its first one begins at a_at in a and y_at in y. */
static void matmul_rows(row_job* job, const anydim_tensor* y, int64_t a_at, int64_t y_at, int64_t a_row, const int64_t* batch) {
  const int rank = y->rank;
  int64_t m;
  int i;
  for (m = 0; m < y->dims[rank - 2]; ++m) {
    int64_t* const where = job->where[job->rows];
    for (i = 0; i < rank - 2; ++i) where[i] = batch[i];
    where[rank - 2] = m;
    job->in[job->rows] = a_at + m * a_row;
    job->out[job->rows] = y_at + m * y->strides[rank - 2];
    if (++job->rows == ANYDIM_CHUNK) rows_run(job);
  }
}

/* Scratch: 16 floats for each k, where b is not packed beforehand. */
int anydim_matmul(const void* attributes, const anydim_tensor* t, void* scratch) {
  const anydim_matmul_attributes* const at = (const anydim_matmul_attributes*)attributes;
  const int packed = at->weights != NULL;
  const anydim_tensor *const a = &t[0], *const b = packed ? NULL : &t[1], *const y = &t[packed ? 1 : 2];
  const int rank = y->rank;
  const int a_m = a->rank - (at->transpose_a ? 1 : 2), a_k = a->rank - (at->transpose_a ? 2 : 1);
  static const int64_t offset = 0;
  static const int32_t place = 0;
  const int64_t n = y->dims[rank - 1], k = a->dims[a_k];
  int64_t batch[ANYDIM_RANK] = {0}, a_by[ANYDIM_RANK], b_by[ANYDIM_RANK];
  float* const pack = (float*)scratch;
  row_job job;
  int i;
  for (i = 0; i < rank; ++i)
    if (y->dims[i] == 0) return 0;
  broadcast_strides(a, rank, a_by);
  if (!packed) broadcast_strides(b, rank, b_by);
  job.x = (const float*)(const void*)a->data;
  job.y = (float*)(void*)y->data;
  job.y_step = y->strides[rank - 1];
  job.rows = 0;
  job.of.offsets = &offset;
  job.of.places = &place;
  job.of.taps = k > 0;
  job.of.channels = (int32_t)k;
  job.of.step = a->strides[a_k];
  job.bias = at->bias;
  finish_begin(&job.finish, &at->posts, y + 1, rank, rank - 1);
  for (;;) {
    int64_t a_at = 0, b_at = 0, y_at = 0, j, c, r;
    for (i = 0; i < rank - 2; ++i) {
      a_at += batch[i] * a_by[i];
      if (!packed) b_at += batch[i] * b_by[i];
      y_at += batch[i] * y->strides[i];
    }
    if (packed) {
      job.w = at->weights;
      job.w_step = ANYDIM_PANEL;
      job.w_panel = k * ANYDIM_PANEL;
      job.columns = (int32_t)n;
      job.first = 0;
      matmul_rows(&job, y, a_at, y_at, a->strides[a_m], batch);
    } else {
      const int b_k = b->rank - (at->transpose_b ? 1 : 2), b_n = b->rank - (at->transpose_b ? 2 : 1);
      const float* const from = (const float*)(const void*)b->data + b_at;
      for (j = 0; j < n; j += ANYDIM_PANEL) {
        const int64_t columns = n - j < ANYDIM_PANEL ? n - j : ANYDIM_PANEL;
        const float* const panel = from + j * b->strides[b_n];
        job.first = j;
        job.columns = (int32_t)columns;
        job.w_panel = 0;
        if (columns == ANYDIM_PANEL && b->strides[b_n] == 1) {
          job.w = panel;
          job.w_step = b->strides[b_k];
        } else {
          for (r = 0; r < k; ++r)
            for (c = 0; c < ANYDIM_PANEL; ++c)
              pack[r * ANYDIM_PANEL + c] = c < columns ? panel[r * b->strides[b_k] + c * b->strides[b_n]] : 0.f;
          job.w = pack;
          job.w_step = ANYDIM_PANEL;
        }
        matmul_rows(&job, y, a_at, y_at, a->strides[a_m], batch);
        if (job.rows > 0) rows_run(&job);
      }
    }
    for (i = rank - 3; i >= 0 && ++batch[i] == y->dims[i]; --i) batch[i] = 0;
    if (i < 0) break;
  }
  if (job.rows > 0) rows_run(&job);
  return 0;
}
