// SPDX-License-Identifier: Apache-2.0
// Convolution and transposed convolution with weights as they are, in any strides, for whatever no other kernel takes: a work-item has
// one position by W channels of one group, and reads each weight once for it.
#define X_PARAMS const long xn, const long xc, const long xd, const long xh, const long xw
#define Y_PARAMS const long yn, const long yc, const long yd, const long yh, const long yw
#define AXIS_PARAMS(a) \
  const long in_##a, const long out_##a, const long kernel_##a, const long stride_##a, const long dilation_##a, const long pad_##a

#ifdef HAS_BIAS
#define BIAS_PARAMS , global const float *bias, const long bias_o, const long bias_step
#define BIAS value = value + load_lanes(bias + bias_o + column * bias_step, bias_step, lanes);
#else
#define BIAS_PARAMS
#define BIAS
#endif

// The input's place that kernel position k reaches from output position o; false: none.
static inline bool place_of(const long o, const long k, const long in, const long stride, const long dilation, const long pad, long* at) {
#ifdef TRANSPOSED
  const long p = o + pad - k * dilation;
  *at = p / stride;
  return p >= 0 && *at * stride == p && *at < in;
#else
  *at = o * stride - pad + k * dilation;
  return *at >= 0 && *at < in;
#endif
}

ENTRY(direct) global float* y, const long yo, Y_PARAMS, global const float* x, const long xo, X_PARAMS,  //
                   global const float* weights, const long weights_o, const long wm, const long wc, const long wd, const long wh,
                   const long ww, const long batch, AXIS_PARAMS(d), AXIS_PARAMS(h), AXIS_PARAMS(w), const long in_channels,
                   const long out_channels BIAS_PARAMS POST_PARAMS) {
  if (!live) return;
  const long own = G0 * W, group = G2;
  long rest = G1;
  const long i3 = rest % out_w;
  rest /= out_w;
  const long i2 = rest % out_h;
  rest /= out_h;
  const long i1 = rest % out_d, i0 = rest / out_d;
  const int lanes = (int)min(out_channels - own, (long)W);
  if (lanes <= 0 || i0 >= batch) return;
  const long column = group * out_channels + own;
#ifdef TRANSPOSED
  global const float* wp = weights + (weights_o + group * in_channels * wc + own * wm);
#else
  global const float* wp = weights + (weights_o + column * wm);
#endif
  global const float* xp = x + (xo + i0 * xn + group * in_channels * xc);
  F total = SET(0.f), acc = SET(0.f);
  long open = -1;
  bool any = false;
  for (long kd = 0; kd < kernel_d; ++kd) {
    long pd, ph, pw;
    if (!place_of(i1, kd, in_d, stride_d, dilation_d, pad_d, &pd)) continue;
    for (long kh = 0; kh < kernel_h; ++kh) {
      if (!place_of(i2, kh, in_h, stride_h, dilation_h, pad_h, &ph)) continue;
      for (long kw = 0; kw < kernel_w; ++kw) {
        if (!place_of(i3, kw, in_w, stride_w, dilation_w, pad_w, &pw)) continue;
        long k = ((kd * kernel_h + kh) * kernel_w + kw) * in_channels;
        for (long c = 0; c < in_channels; ++c, ++k) {
          if (k >> 7 != open) {
            if (open >= 0) {
              total = any ? total + acc : acc;
              acc = SET(0.f);
              any = true;
            }
            open = k >> 7;
          }
          const float a = xp[pd * xd + ph * xh + pw * xw + c * xc];
          acc = fma(SET(a), load_lanes(wp + kd * wd + kh * wh + kw * ww + c * wc, wm, lanes), acc);
        }
      }
    }
  }
  F value = any ? total + acc : acc;
  BIAS
  POST_ROW
  POST(value, column, lanes)
  store_lanes(value, y + (yo + i0 * yn + i1 * yd + i2 * yh + i3 * yw + column * yc), yc, lanes);
}
