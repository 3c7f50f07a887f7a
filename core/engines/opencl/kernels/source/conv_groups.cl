// SPDX-License-Identifier: Apache-2.0
// Convolution on devices that are like GPUs, as a product without a copy of the input (groups.cl): rows are positions of the output, columns
// channels of one group, k runs over taps and channels. The third id is the group of channels.
#define X_PARAMS const long xn, const long xc, const long xd, const long xh, const long xw
#define Y_PARAMS const long yn, const long yc, const long yd, const long yh, const long yw
#define AXIS_PARAMS(a) \
  const long in_##a, const long out_##a, const long kernel_##a, const long stride_##a, const long dilation_##a, const long pad_##a

#ifdef HAS_BIAS
#define BIAS_PARAMS , global const float *bias, const long bias_o, const long bias_step
#define BIAS value = value + bias[bias_o + channel * bias_step];
#else
#define BIAS_PARAMS
#define BIAS
#endif

// The tap and channel of the k that this work-item brings, and where that tap lies in the input.
#define LEFT_STATE                                                 \
  int left_k = 0, tap_d = 0, tap_h = 0, tap_w = 0, channel_k = 0; \
  uint at_k = 0, move_d = 0, move_h = 0, move_w = 0;
#define LEFT_MOVE(by)                          \
  left_k += by;                                \
  channel_k += by;                             \
  while (channel_k >= channels) {              \
    channel_k -= channels;                     \
    if (++tap_w == (int)kernel_w) {            \
      tap_w = 0;                               \
      if (++tap_h == (int)kernel_h) {          \
        tap_h = 0;                             \
        ++tap_d;                               \
      }                                        \
    }                                          \
  }                                            \
  move_d = tap_d * (uint)dilation_d;           \
  move_h = tap_h * (uint)dilation_h;           \
  move_w = tap_w * (uint)dilation_w;           \
  at_k = move_d * (uint)xd + move_h * (uint)xh + move_w * (uint)xw + channel_k * (uint)xc;
#define LEFT_BEGIN LEFT_MOVE(own_k)
#define LEFT_NEXT LEFT_MOVE(STEP)
#define ONE_TAP (channels % STEP == 0)
#define INSIDE(place, size) ((place) < (uint)(size)) /* one below 0 is large */
#define LEFT(row, value)                                                                                        \
  there = left_k < depth && INSIDE((uint)row_d[row] + move_d, in_d) && INSIDE((uint)row_h[row] + move_h, in_h) &&           \
          INSIDE((uint)row_w[row] + move_w, in_w);                                                                    \
  if (there) value = xp[(int)((uint)row_x[row] + at_k)];

ENTRY(conv_groups) global float* y, const long yo, Y_PARAMS, global const float* x, const long xo, X_PARAMS,  //
    global const float* right, const long right_o, const long batch, AXIS_PARAMS(d), AXIS_PARAMS(h), AXIS_PARAMS(w),
    const long in_channels, const long out_channels, const long k_count BIAS_PARAMS POST_PARAMS) {
  GROUP_MEMORY
  if (!live) return;
  const int lx = get_local_id(0), ly = get_local_id(1), lid = ly * LOCAL_X + lx;
  const long part = G2, row0 = (G1 - ly) / LOCAL_Y * BM, column0 = (G0 - lx) / LOCAL_X * BN;
  const int depth = (int)k_count, channels = (int)in_channels;
  const int rows_here = (int)min(batch * out_d * out_h * out_w - row0, (long)BM), columns_here = (int)min(out_channels - column0, (long)BN);
  GROUP_ROWS
  local int *const row_d = row_y + BM, *const row_h = row_d + BM, *const row_w = row_h + BM;  // where windows begin
  for (int row = lid; row < BM; row += GROUP_ITEMS) {
    const long d0 = batch, d1 = out_d, d2 = out_h, d3 = out_w;
    BEGIN_ROWS(row0 + min(row, rows_here - 1))
    const long pd = i1 * stride_d - pad_d, ph = i2 * stride_h - pad_h, pw = i3 * stride_w - pad_w;
    row_x[row] = (int)(i0 * xn + pd * xd + ph * xh + pw * xw + part * in_channels * xc);
    row_y[row] = (int)(i0 * yn + i1 * yd + i2 * yh + i3 * yw);
    EACH_ROW(KEEP_PLACE)
    row_d[row] = (int)pd;
    row_h[row] = (int)ph;
    row_w[row] = (int)pw;
  }
  const int right_depth = (depth + STEP - 1) / STEP * STEP, blocks_here = (columns_here + 31) / 32;
  global const float4* const right_from =
      (global const float4*)(right + right_o) + (part * ((out_channels + 31) / 32) * 8 + column0 / 4) * right_depth;
  global const float* const xp = x + xo;
  global float* const y_first = y + yo;
  SUM_PRODUCTS
  #pragma unroll
  for (int i = 0; i < TM; ++i) {
    const int row = ROW_OF(i);
    if (row >= rows_here) continue;
    EACH_ROW(TAKE_PLACE)
    global float* yp = y_first + row_y[row];
    POST_ROW
    #pragma unroll
    for (int j = 0; j < NB; ++j) {
      const float four[4] = {sums[i][j].x, sums[i][j].y, sums[i][j].z, sums[i][j].w};
      #pragma unroll
      for (int l = 0; l < 4; ++l) {
        if (COLUMN_OF(j) + l >= columns_here) continue;
        const long channel = part * out_channels + column0 + COLUMN_OF(j) + l;
        F value = four[l];
        BIAS
        POST(value, channel, 1)
        yp[channel * yc] = value;
      }
    }
  }
}
