// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution on devices that are like GPUs: a work-item has one channel of STRIP positions along the last axis, and reads each
// weight once for them. Weights are packed: tap, channel. A tap outside the input is skipped, and blocks of 128 taps are sums of their own.
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
#define INSIDE(place, size) ((ulong)(place) < (ulong)(size))

ENTRY(depthwise_items) global float* y, const long yo, Y_PARAMS, global const float* x, const long xo, X_PARAMS,  //
    global const float* weights, const long weights_o, const long batch, AXIS_PARAMS(d), AXIS_PARAMS(h), AXIS_PARAMS(w),
    const long channels, const long strips BIAS_PARAMS POST_PARAMS) {
  if (!live) return;
  const long channel = G0;
  uint rest = (uint)G1;
  const uint strip = rest % (uint)strips;
  rest /= (uint)strips;
  const long i2 = rest % (uint)out_h;
  rest /= (uint)out_h;
  const long i1 = rest % (uint)out_d, i0 = rest / (uint)out_d, first = (long)strip * STRIP;
  if (channel >= channels || i0 >= batch) return;
  global const float* const wp = weights + weights_o + channel;
  const long at_d = i1 * stride_d - pad_d, at_h = i2 * stride_h - pad_h, at_w = first * stride_w - pad_w;
  global const float* const xp = x + (xo + i0 * xn + at_d * xd + at_h * xh + at_w * xw + channel * xc);
  float acc[STRIP], sums[STRIP];
  int had = 0, any = 0;
  #pragma unroll
  for (int i = 0; i < STRIP; ++i) acc[i] = sums[i] = 0.f;
  long tap = 0;
  for (long kd = 0; kd < kernel_d; ++kd)
    for (long kh = 0; kh < kernel_h; ++kh) {
      const bool row = INSIDE(at_d + kd * dilation_d, in_d) && INSIDE(at_h + kh * dilation_h, in_h);
      global const float* const from = xp + kd * dilation_d * xd + kh * dilation_h * xh;
      for (long kw = 0; kw < kernel_w; ++kw, ++tap) {
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
        if (!row) continue;
        const float w = wp[tap * channels];
        #pragma unroll
        for (int i = 0; i < STRIP; ++i)
          if (INSIDE(at_w + i * stride_w + kw * dilation_w, in_w)) {
            acc[i] = fma(from[(i * stride_w + kw * dilation_w) * xw], w, acc[i]);
            had |= 1 << i;
          }
      }
    }
  #pragma unroll
  for (int i = 0; i < STRIP; ++i) {
    const long i3 = first + i;
    if (i3 >= out_w) break;
    F value = sums[i];
    if (had >> i & 1) value = any >> i & 1 ? sums[i] + acc[i] : acc[i];
    BIAS
    POST_ROW
    POST(value, channel, 1)
    y[yo + i0 * yn + i1 * yd + i2 * yh + i3 * yw + channel * yc] = value;
  }
}
