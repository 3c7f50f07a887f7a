// SPDX-License-Identifier: Apache-2.0
// What tiles of convolutions (conv.cl, conv_run.cl) share: the call of the tile function, and what follows it.
// Adds the bias, applies the post-ops and stores.
#define FINISH(rd, rh, rw, step_d, step_h, step_w)                                                              \
  for (int v = 0; v < NV; ++v) {                                                                                \
    const long own = (long)block * COLUMNS + v * 16, column = group * out_channels + own;                       \
    const int lanes = (int)min(out_channels - own, (long)min(16, COLUMNS - v * 16)); /* the next block's are its own */ \
    if (lanes <= 0) break;                                                                                      \
    BIAS_LANES                                                                                                  \
    for (int i = 0; i < count; ++i) {                                                                           \
      const long i0 = each[i].n, i1 = rd.out + each[i].d * step_d, i2 = rh.out + each[i].h * step_h,            \
                 i3 = rw.out + each[i].w * step_w;                                                              \
      POST_ROW                                                                                                  \
      F value = sums[i * NV + v];                                                                               \
      BIAS                                                                                                      \
      POST(value, column, lanes)                                                                                \
      store_lanes(value, y + in_y[i] + column * yc, yc, lanes);                                                 \
    }                                                                                                           \
  }

#define TILE_ARGUMENTS                                                                                                                 \
  (base, in_x, packed, taps_d, taps_h, taps_w, step_d, step_h, step_w, k_first, k_step_d, k_step_h, k_step_w, in_channels, xc, sums)
