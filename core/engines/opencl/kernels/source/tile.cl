// SPDX-License-Identifier: Apache-2.0
// Sums of products for R positions by NV vectors of outputs, in the order of docs/numerics.md, section 1: blocks of 128 k. Included once
// for each R. The taps of position i begin at x[o[i]]; their steps are in elements, those of k in kernel positions. Weights of a position k
// are NV vectors, one k after the other.
static NO_INLINE void JOIN(tile_, R)(global const float* x, const long* o, global const float* weights,  //
                                  const long taps_d, const long taps_h, const long taps_w,               //
                                  const long step_d, const long step_h, const long step_w,               //
                                  const long k_first, const long k_step_d, const long k_step_h, const long k_step_w,
                                  const long channels, const long channel_step, float16* sums) {
  float16 acc[R][NV];
  #pragma unroll
  for (int i = 0; i < R; ++i)
    #pragma unroll
    for (int v = 0; v < NV; ++v) acc[i][v] = 0.f;
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
                for (int v = 0; v < NV; ++v) {
                  sums[i * NV + v] = any ? sums[i * NV + v] + acc[i][v] : acc[i][v];
                  acc[i][v] = 0.f;
                }
              any = true;
            }
            open = block;
          }
          const int run = (int)min(left, ((block + 1) << 7) - k);
          global const float* wp = weights + k * (16 * NV);
          for (int c = 0; c < run; ++c) {
            float16 b[NV];
            #pragma unroll
            for (int v = 0; v < NV; ++v) b[v] = vload16(v, wp);
            #pragma unroll
            for (int i = 0; i < R; ++i) {
              const float16 a = (float16)(xp[o[i]]);
              #pragma unroll
              for (int v = 0; v < NV; ++v) acc[i][v] = fma(a, b[v], acc[i][v]);
            }
            wp += 16 * NV;
            xp += channel_step;
          }
          k += run;
          left -= run;
        }
      }
  #pragma unroll
  for (int i = 0; i < R; ++i)
    #pragma unroll
    for (int v = 0; v < NV; ++v) sums[i * NV + v] = any ? sums[i * NV + v] + acc[i][v] : acc[i][v];
}
