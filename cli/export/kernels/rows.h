/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of results that read the same packed weights: positions of a convolution, rows of a matrix. Panels come one after another, and
   each is used for all rows that are collected, so that both stay in the caches. */
#ifndef ANYDIM_ROWS_H
#define ANYDIM_ROWS_H

#include "finish.h"
#include "tile.h"

#define ANYDIM_CHUNK (10 * ANYDIM_ROWS)

typedef struct row_job {
  const float *x, *w, *bias; /* bias: one for each column of all panels, or null */
  float* y;
  int64_t w_step, w_panel, y_step;
  int64_t first; /* column of the result that the first panel's first one is */
  int32_t columns, rows;
  finisher finish;
  window of;
  int64_t in[ANYDIM_CHUNK], out[ANYDIM_CHUNK]; /* where a row begins in x, and in y */
  int64_t where[ANYDIM_CHUNK][ANYDIM_RANK];
} row_job;

/* Bias, post-ops, stores: of rows [row, row + rows) and `count` columns from `column` of the panels on. */
static ANYDIM_UNUSED void rows_finish(const row_job* job, float* total, int row, int rows, int width, int64_t column, int count) {
  int64_t where[ANYDIM_ROWS][ANYDIM_RANK];
  const int64_t at = job->first + column;
  int r, j;
  if (job->bias != NULL)
    for (r = 0; r < rows; ++r)
      for (j = 0; j < width; j += ANYDIM_LANES) store(total + r * width + j, load(total + r * width + j) + load(job->bias + column + j));
  if (job->finish.operands > 0) {
    memcpy(where, job->where[row], (size_t)rows * sizeof where[0]);
    for (r = 0; r < rows; ++r) where[r][job->finish.axis] = at;
  }
  finish_rows(&job->finish, total, rows, width, count, (const int64_t(*)[ANYDIM_RANK])where);
  for (r = 0; r < rows; ++r) store_row(job->y + job->out[row + r] + at * job->y_step, job->y_step, total + r * width, count);
}

static ANYDIM_UNUSED void rows_run(row_job* job) {
  const int panels = (job->columns + ANYDIM_PANEL - 1) / ANYDIM_PANEL;
  int p, row, r, n, wide;
  for (p = 0; p < panels; p += wide) {
    const float* const w = job->w + (int64_t)p * job->w_panel;
    int count = job->columns - p * ANYDIM_PANEL;
    wide = job->rows == 1 && panels - p >= 4 ? 4 : 1;
    if (count > wide * ANYDIM_PANEL) count = wide * ANYDIM_PANEL;
    for (row = 0; row < job->rows; row += n) {
      const float* a[ANYDIM_ROWS];
      float total[(ANYDIM_ROWS < 4 ? 4 : ANYDIM_ROWS) * ANYDIM_PANEL];
      n = job->rows - row < ANYDIM_ROWS ? job->rows - row : ANYDIM_ROWS;
      for (r = 0; r < ANYDIM_ROWS; ++r) a[r] = job->x + job->in[row + (r < n ? r : n - 1)];
      if (wide == 4) row_of_panels(a, &job->of, w, job->w_step, job->w_panel, total);
      else if (n == 1) row_of_panel(a, &job->of, w, job->w_step, total);
      else tile_of_rows(a, &job->of, w, job->w_step, total);
      rows_finish(job, total, row, n, wide * ANYDIM_PANEL, (int64_t)p * ANYDIM_PANEL, count);
    }
  }
  job->rows = 0;
}

#endif
