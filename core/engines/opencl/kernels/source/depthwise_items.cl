// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution on devices that are like GPUs: a work-item has one channel of STRIP positions along the last axis, and reads each
// weight once for them. Weights are packed: tap, channel. A tap outside the input is skipped. WIDTH: the window's width, for the usual ones.
// MANY_TAPS: there may be more than 128, whose blocks are sums of their own.
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
// Places are numbers of 32 bits (devices.cpp); one below 0 is large.
#define INSIDE(place, size) ((uint)(place) < (uint)(size))

ENTRY(depthwise_items) global float* y, const long yo, Y_PARAMS, global const float* x, const long xo, X_PARAMS,  //
    global const float* weights, const long weights_o, const long batch, AXIS_PARAMS(d), AXIS_PARAMS(h), AXIS_PARAMS(w),
    const long channels, const long strips BIAS_PARAMS POST_PARAMS) {
  if (!live) return;
  const int channel = (int)G0, all_channels = (int)channels;
  uint rest = (uint)G1;
  const int strip = (int)(rest % (uint)strips);
  rest /= (uint)strips;
  const long i2 = rest % (uint)out_h;
  rest /= (uint)out_h;
  const long i1 = rest % (uint)out_d, i0 = rest / (uint)out_d, first = (long)strip * STRIP;
  if (channel >= all_channels || i0 >= batch) return;
  global const float* wp = weights + (weights_o + channel);
  const int at_d = (int)(i1 * stride_d - pad_d), at_h = (int)(i2 * stride_h - pad_h), at_w = (int)(first * stride_w - pad_w);
  const int end_h = (int)in_h, end_w = (int)in_w, next = (int)stride_w, step = (int)dilation_w;
  // Where a place lies from here fits 32 bits, what it is added up from need not: so it is added up without a sign.
  global const float* const xp = x + (xo + i0 * xn + channel * xc);
  const uint x_step = (uint)xw, begins = (uint)at_d * (uint)xd + (uint)at_h * (uint)xh + (uint)at_w * x_step;
  float acc[STRIP];
  #pragma unroll
  for (int i = 0; i < STRIP; ++i) acc[i] = 0.f;
#ifdef MANY_TAPS
  float sums[STRIP];
  int had = 0, any = 0, tap = 0;
  #pragma unroll
  for (int i = 0; i < STRIP; ++i) sums[i] = 0.f;
#endif
  for (int kd = 0; kd < (int)kernel_d; ++kd)
    for (int kh = 0; kh < (int)kernel_h; ++kh) {
      const int move_d = kd * (int)dilation_d, move_h = kh * (int)dilation_h;
      const bool row = INSIDE(at_d + move_d, in_d) && INSIDE(at_h + move_h, end_h);
      const uint from = begins + (uint)move_d * (uint)xd + (uint)move_h * (uint)xh;
#ifdef WIDTH
      // Neighbouring positions are neighbouring taps: each place is loaded once.
      if (next == step) {
        if (row) {
          float w[WIDTH];
          #pragma unroll
          for (int t = 0; t < WIDTH; ++t) w[t] = wp[t * all_channels];
          #pragma unroll
          for (int j = 0; j < STRIP + WIDTH - 1; ++j) {
            if (!INSIDE(at_w + j * next, end_w)) continue;
            const float v = xp[(int)(from + (uint)(j * next) * x_step)];
            #pragma unroll
            for (int t = 0; t < WIDTH; ++t)
              if (j - t >= 0 && j - t < STRIP) acc[j - t] = fma(v, w[t], acc[j - t]);
          }
        }
        wp += WIDTH * all_channels;
        continue;
      }
#endif
      for (int kw = 0; kw < (int)kernel_w; ++kw, wp += all_channels) {
#ifdef MANY_TAPS
        if (tap > 0 && (tap & 127) == 0) {
          #pragma unroll
          for (int i = 0; i < STRIP; ++i)
            if (had >> i & 1) {
              sums[i] = any >> i & 1 ? sums[i] + acc[i] : acc[i];
              acc[i] = 0.f;
            }
          any |= had;
          had = 0;
        }
        ++tap;
#endif
        if (!row) continue;
        const float w = *wp;
        const int at = at_w + kw * step;
        #pragma unroll
        for (int i = 0; i < STRIP; ++i)
          if (INSIDE(at + i * next, end_w)) {
            acc[i] = fma(xp[(int)(from + (uint)(i * next + kw * step) * x_step)], w, acc[i]);
#ifdef MANY_TAPS
            had |= 1 << i;
#endif
          }
      }
    }
  const long y_first = yo + i0 * yn + i1 * yd + i2 * yh + channel * yc;
  #pragma unroll
  for (int i = 0; i < STRIP; ++i) {
    const long i3 = first + i;
    if (i3 >= out_w) break;
    F value = acc[i];
#ifdef MANY_TAPS
    if ((had >> i & 1) == 0) value = sums[i];
    else if (any >> i & 1) value = sums[i] + acc[i];
#endif
    BIAS
    POST_ROW
    POST(value, channel, 1)
    y[y_first + i3 * yw] = value;
  }
}
