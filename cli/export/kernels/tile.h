/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of products, docs/numerics.md, section 1, for a tile of rows and columns: blocks of 128 along k, a chain of fused products in each,
   blocks added in order. */
#ifndef ANYDIM_TILE_H
#define ANYDIM_TILE_H

#include "vectors.h"

#define ANYDIM_BLOCK 128

/* Taps of a window that lie inside: how far they are from a row's first element, and their places among all taps of the kernel. k counts
   channels within taps. A product of matrices has one tap. */
typedef struct window {
  const int64_t* offsets;
  const int32_t* places;
  int32_t taps, channels;
  int64_t step; /* from channel to channel */
} window;

/* total[r][panel * 16 + j] = sum over k of a[r][k] * w[panel][k][j]. w_step: from k to k; w_panel: from panel to panel. */
ANYDIM_INLINE void tile_sums(const int rows, const int panels, const float* const* a, const window* of, const float* w, int64_t w_step,
                             int64_t w_panel, float* total) {
  vec sum[ANYDIM_ROWS][4 * ANYDIM_PARTS];
  const int parts = panels * ANYDIM_PARTS;
  int r, p, t, first = 1;
  int64_t block = -1;
  ANYDIM_UNROLL for (r = 0; r < rows; ++r) { ANYDIM_UNROLL for (p = 0; p < parts; ++p) sum[r][p] = splat(0.f); }
  for (t = 0; t < of->taps; ++t) {
    int64_t k = (int64_t)of->places[t] * of->channels, at = of->offsets[t];
    const int64_t stop = k + of->channels;
    while (k < stop) {
      const int64_t mine = k / ANYDIM_BLOCK, end = (mine + 1) * ANYDIM_BLOCK < stop ? (mine + 1) * ANYDIM_BLOCK : stop;
      const float* b = w + k * w_step;
      if (mine != block && block >= 0) {
        float* to = total;
        ANYDIM_UNROLL for (r = 0; r < rows; ++r) {
          ANYDIM_UNROLL for (p = 0; p < parts; ++p) {
            store(to, first ? sum[r][p] : load(to) + sum[r][p]);
            sum[r][p] = splat(0.f);
            to += ANYDIM_LANES;
          }
        }
        first = 0;
      }
      block = mine;
      for (; k < end; ++k) {
        vec column[4 * ANYDIM_PARTS];
        ANYDIM_UNROLL for (p = 0; p < parts; ++p) column[p] = load(b + (p / ANYDIM_PARTS) * w_panel + (p % ANYDIM_PARTS) * ANYDIM_LANES);
        ANYDIM_UNROLL for (r = 0; r < rows; ++r) {
          const vec x = splat(a[r][at]);
          ANYDIM_UNROLL for (p = 0; p < parts; ++p) sum[r][p] = fma_(x, column[p], sum[r][p]);
        }
        at += of->step;
        b += w_step;
      }
    }
  }
  ANYDIM_UNROLL for (r = 0; r < rows; ++r) {
    ANYDIM_UNROLL for (p = 0; p < parts; ++p) {
      store(total, first ? sum[r][p] : load(total) + sum[r][p]);
      total += ANYDIM_LANES;
    }
  }
}

/* Of all the rows that a tile has, and one panel; rows that do not count repeat one that does. */
static ANYDIM_UNUSED void tile_of_rows(const float* const* a, const window* of, const float* w, int64_t w_step, float* total) {
  tile_sums(ANYDIM_ROWS, 1, a, of, w, w_step, 0, total);
}
/* Of one row. */
static ANYDIM_UNUSED void row_of_panel(const float* const* a, const window* of, const float* w, int64_t w_step, float* total) {
  tile_sums(1, 1, a, of, w, w_step, 0, total);
}
static ANYDIM_UNUSED void row_of_panels(const float* const* a, const window* of, const float* w, int64_t w_step, int64_t w_panel,
                                        float* total) {
  tile_sums(1, 4, a, of, w, w_step, w_panel, total);
}

#endif
