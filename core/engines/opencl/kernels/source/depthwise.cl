// SPDX-License-Identifier: Apache-2.0
// Convolution with one channel a group, on devices that are like CPUs: a work-item has `many` tiles of one class of
// positions, each of up to MOST positions by 16 channels.
// Weights are packed: tap, channel (padded to 16). AXIS_PARAMS, places() and the rest are conv.cl's.
ENTRY(depthwise) global float* y, const long yo, Y_PARAMS, global const float* x, const long xo, X_PARAMS,     //
                      global const float* weights, const long weights_o, const long batch, AXIS_PARAMS(d), AXIS_PARAMS(h), AXIS_PARAMS(w),
                      const long channels, const long many BIAS_PARAMS POST_PARAMS) {
  if (!live) return;
  const Axis ad = {out_d, in_d, kernel_d, stride_d, dilation_d, pad_d}, ah = {out_h, in_h, kernel_h, stride_h, dilation_h, pad_h},
             aw = {out_w, in_w, kernel_w, stride_w, dilation_w, pad_w};
  const long column = G1 * 16;
  const int lanes = (int)min(channels - column, 16L);
  Run rd, rh, rw;
  long first;
  if (!find_tile(ad, ah, aw, batch, MOST * many, G0, &rd, &rh, &rw, &first)) return;
  const long last = min(first + MOST * many, batch * rd.count * rh.count * rw.count);
  global const float* base = x + (xo + column * xc);
  const long row = (channels + 15) / 16 * 16;
  global const float* packed = weights + weights_o + column;
  const bool plain = lanes == 16 && xc == 1;
  const Steps xs = {rd.in * xd + rh.in * xh + rw.in * xw, xn, stride_d * xd, stride_h * xh, stride_w * xw};
  const Steps ys = {yo + rd.out * yd + rh.out * yh + rw.out * yw, yn, yd, yh, yw};
  Place at = place_of(rd, rh, rw, first);
  for (; first < last; first += MOST) {
    const int count = (int)min((long)MOST, last - first);
    Place each[MOST];
    long in_x[MOST], in_y[MOST];
    places(rd, rh, rw, xs, ys, count, &at, each, in_x, in_y);
    float16 sums[MOST], acc[MOST];
    #pragma unroll
    for (int i = 0; i < MOST; ++i) acc[i] = 0.f;
    long open = -1;
    bool any = false;
    for (long td = 0; td < rd.taps; ++td)
      for (long th = 0; th < rh.taps; ++th) {
        long k = ((rd.tap + td) * kernel_h + rh.tap + th) * kernel_w + rw.tap;
        global const float* xp = base + (td * dilation_d * xd + th * dilation_h * xh);
        for (long tw = 0; tw < rw.taps; ++tw, ++k, xp += dilation_w * xw) {
          if (k >> 7 != open) {
            if (open >= 0) {
              #pragma unroll
              for (int i = 0; i < MOST; ++i) {
                sums[i] = any ? sums[i] + acc[i] : acc[i];
                acc[i] = 0.f;
              }
              any = true;
            }
            open = k >> 7;
          }
          const float16 b = vload16(0, packed + k * row);
          if (plain) {
            #pragma unroll
            for (int i = 0; i < MOST; ++i) acc[i] = fma(vload16(0, xp + in_x[i]), b, acc[i]);
          } else {
            for (int i = 0; i < count; ++i) acc[i] = fma(load_lanes(xp + in_x[i], xc, lanes), b, acc[i]);
          }
        }
      }
    #pragma unroll
    for (int i = 0; i < MOST; ++i) sums[i] = any ? sums[i] + acc[i] : acc[i];
    for (int i = 0; i < count; ++i) {
      const long i0 = each[i].n, i1 = rd.out + each[i].d, i2 = rh.out + each[i].h, i3 = rw.out + each[i].w;
      global float* yp = y + in_y[i];
      POST_ROW
      F value = sums[i];
      BIAS
      POST(value, column, lanes)
      store_lanes(value, yp + column * yc, yc, lanes);
    }
  }
}
