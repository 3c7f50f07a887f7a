// SPDX-License-Identifier: Apache-2.0
// Sums of products for R positions by COLUMNS outputs, which are NT vectors TV of TILE_LANES lanes, in the order of docs/numerics.md,
// section 1: blocks of 128 k. Included once for each R. The taps of position i begin at x[o[i]]; their steps are in elements, those of k
// in kernel positions. Weights of a position k are NT vectors, one k after the other. Sums of a position begin at a float16.
static NO_INLINE void JOIN(tile_, R)(global const float* x, const long* o, global const float* weights,  //
                                  const long taps_d, const long taps_h, const long taps_w,               //
                                  const long step_d, const long step_h, const long step_w,               //
                                  const long k_first, const long k_step_d, const long k_step_h, const long k_step_w,
                                  const long channels, const long channel_step, float16* sums_) {
  private TV* const sums = (private TV*)sums_;
  TV acc[R][NT];
  #pragma unroll
  for (int i = 0; i < R; ++i)
    #pragma unroll
    for (int v = 0; v < NT; ++v) acc[i][v] = 0.f;
#ifdef EXTRA
  float8 rest[R];
  #pragma unroll
  for (int i = 0; i < R; ++i) rest[i] = 0.f;
#undef REST
#define REST(i) *(private float8*)(sums_ + (i) * NV + NT)
#endif
  long open = -1;
  bool any = false;
  // Neighbouring taps of a row that lie one behind the other are one run of channels.
  const bool joined = k_step_w == 1 && step_w == channels * channel_step;
  const long runs = joined ? 1 : taps_w, length = joined ? taps_w * channels : channels;
  for (long td = 0; td < taps_d; ++td)
    for (long th = 0; th < taps_h; ++th)
      for (long tw = 0; tw < runs; ++tw) {
        global const float* xp = x + (td * step_d + th * step_h + tw * step_w);
        long k = (k_first + td * k_step_d + th * k_step_h + tw * k_step_w) * channels;
        long left = length;
        while (left > 0) {
          const long block = k >> 7;
          if (block != open) {
            if (open >= 0) {
              #pragma unroll
              for (int i = 0; i < R; ++i)
                #pragma unroll
                for (int v = 0; v < NT; ++v) {
                  sums[i * (16 * NV / TILE_LANES) + v] = any ? sums[i * (16 * NV / TILE_LANES) + v] + acc[i][v] : acc[i][v];
                  acc[i][v] = 0.f;
                }
#ifdef EXTRA
              #pragma unroll
              for (int i = 0; i < R; ++i) {
                REST(i) = any ? REST(i) + rest[i] : rest[i];
                rest[i] = 0.f;
              }
#endif
              any = true;
            }
            open = block;
          }
          const int run = (int)min(left, ((block + 1) << 7) - k);
          global const float* wp = weights + k * COLUMNS;
          for (int c = 0; c < run; ++c) {
            TV b[NT];
            #pragma unroll
            for (int v = 0; v < NT; ++v) b[v] = TILE_LOAD(wp + v * TILE_LANES);
#ifdef EXTRA
            const float8 b_rest = load_8(wp + NT * TILE_LANES);
#endif
            #pragma unroll
            for (int i = 0; i < R; ++i) {
              const TV a = (TV)(xp[o[i]]);
              #pragma unroll
              for (int v = 0; v < NT; ++v) acc[i][v] = fma(a, b[v], acc[i][v]);
#ifdef EXTRA
              rest[i] = fma((float8)(xp[o[i]]), b_rest, rest[i]);
#endif
            }
            wp += COLUMNS;
            xp += channel_step;
          }
          k += run;
          left -= run;
        }
      }
  #pragma unroll
  for (int i = 0; i < R; ++i)
    #pragma unroll
    for (int v = 0; v < NT; ++v) sums[i * (16 * NV / TILE_LANES) + v] = any ? sums[i * (16 * NV / TILE_LANES) + v] + acc[i][v] : acc[i][v];
#ifdef EXTRA
  #pragma unroll
  for (int i = 0; i < R; ++i) REST(i) = any ? REST(i) + rest[i] : rest[i];
#endif
}
