// SPDX-License-Identifier: Apache-2.0
// Pooling: a work-item has `many` output positions by W channels. Sums in blocks of 64 taps (docs/numerics.md, section 5).
// MAXIMUM, or else the average.
#define X_PARAMS const long xn, const long xc, const long xd, const long xh, const long xw
#define Y_PARAMS const long yn, const long yc, const long yd, const long yh, const long yw
#define AXIS_PARAMS(a)                                                                                                                  \
  const long in_##a, const long out_##a, const long kernel_##a, const long stride_##a, const long dilation_##a, const long pad_##a, \
      const long pad_end_##a

// How many taps from place `first` on lie below `limit`.
static inline long taps_below(const long first, const long limit, const long kernel_, const long dilation) {
  return first >= limit ? 0 : min((limit - first + dilation - 1) / dilation, kernel_);
}
#define TAPS(a, o)                                                                            \
  const long first_##a = (o) * stride_##a - pad_##a;                                          \
  const long begin_##a = taps_below(first_##a, 0, kernel_##a, dilation_##a);                  \
  const long end_##a = taps_below(first_##a, in_##a, kernel_##a, dilation_##a);               \
  const long padded_##a = taps_below(first_##a, in_##a + pad_end_##a, kernel_##a, dilation_##a);

ENTRY(pool) global float* y, const long yo, Y_PARAMS, global const float* x, const long xo, X_PARAMS,  //
                 const long batch, const long channels, AXIS_PARAMS(d), AXIS_PARAMS(h), AXIS_PARAMS(w), const int count_padded,
                 const long many) {
  if (!live) return;
  const long column = G0 * W;
  const int lanes = (int)min(channels - column, (long)W);
  if (lanes <= 0) return;
  const long all = batch * out_d * out_h * out_w, begin = G1 * many, end = min(all, begin + many);
  for (long position = begin; position < end; ++position) {
    const long ow = position % out_w, oh = position / out_w % out_h, od = position / out_w / out_h % out_d;
    const long n = position / out_w / out_h / out_d;
    TAPS(d, od)
    TAPS(h, oh)
    TAPS(w, ow)
    global const float* xp = x + (xo + n * xn + column * xc);
#ifdef MAXIMUM
    F best = SET(-INFINITY);
    for (long td = begin_d; td < end_d; ++td)
      for (long th = begin_h; th < end_h; ++th)
        for (long tw = begin_w; tw < end_w; ++tw)
          best = b_max(best, load_lanes(xp + (first_d + td * dilation_d) * xd + (first_h + th * dilation_h) * xh +
                                            (first_w + tw * dilation_w) * xw, xc, lanes));
#else
    F total = SET(0.f), acc = SET(0.f);
    long open = -1;
    bool any = false;
    for (long td = begin_d; td < end_d; ++td)
      for (long th = begin_h; th < end_h; ++th)
        for (long tw = begin_w; tw < end_w; ++tw) {
          const long k = ((td * kernel_h + th) * kernel_w + tw) >> 6;
          if (k != open) {
            if (open >= 0) {
              total = any ? total + acc : acc;
              acc = SET(0.f);
              any = true;
            }
            open = k;
          }
          acc = acc + load_lanes(xp + (first_d + td * dilation_d) * xd + (first_h + th * dilation_h) * xh +
                                     (first_w + tw * dilation_w) * xw, xc, lanes);
        }
    total = any ? total + acc : acc;
    const long inside = max(end_d - begin_d, 0L) * max(end_h - begin_h, 0L) * max(end_w - begin_w, 0L);
    const F best = total / SET((float)(count_padded ? padded_d * padded_h * padded_w : inside));
#endif
    store_lanes(best, y + (yo + n * yn + od * yd + oh * yh + ow * yw + column * yc), yc, lanes);
  }
}
