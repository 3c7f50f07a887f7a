// SPDX-License-Identifier: Apache-2.0
// Convolution on devices that are like CPUs: a work-item has `many` tiles of one class of positions (windows.cl), each of up to MOST
// positions by NV vectors of output channels of one group, and all of their sums. Weights are packed: group, block of 16 * NV channels,
// k, channel.
ENTRY(conv) global float* y, const long yo, Y_PARAMS, global const float* x, const long xo, X_PARAMS,          //
                 global const float* weights, const long weights_o, const long batch, AXIS_PARAMS(d), AXIS_PARAMS(h), AXIS_PARAMS(w),
                 const long in_channels, const long out_channels, const long k_count, const long many BIAS_PARAMS POST_PARAMS) {
  if (!live) return;
  const Axis ad = {out_d, in_d, kernel_d, stride_d, dilation_d, pad_d}, ah = {out_h, in_h, kernel_h, stride_h, dilation_h, pad_h},
             aw = {out_w, in_w, kernel_w, stride_w, dilation_w, pad_w};
  const long block = G1, group = G2;
  Run rd, rh, rw;
  long first;
  if (!find_tile(ad, ah, aw, batch, MOST * many, G0, &rd, &rh, &rw, &first)) return;
  const long end = min(first + MOST * many, batch * rd.count * rh.count * rw.count);
  global const float* base = x + (xo + group * in_channels * xc);
  global const float* packed = weights + weights_o + (group * ((out_channels + 16 * NV - 1) / (16 * NV)) + block) * k_count * (16 * NV);
  const long taps_d = rd.taps, taps_h = rh.taps, taps_w = rw.taps;
  const long step_d = dilation_d * xd, step_h = dilation_h * xh, step_w = dilation_w * xw;
  const long k_step_d = kernel_h * kernel_w, k_step_h = kernel_w, k_step_w = 1;
  const long k_first = (rd.tap * kernel_h + rh.tap) * kernel_w + rw.tap;
  for (; first < end; first += MOST) {
    const int count = (int)min((long)MOST, end - first);
    long n[MOST], d[MOST], h[MOST], w[MOST], o[MOST];
    places(rd, rh, rw, first, count, n, d, h, w);
    #pragma unroll
    for (int i = 0; i < MOST; ++i)
      o[i] = n[i] * xn + (rd.in + d[i] * stride_d) * xd + (rh.in + h[i] * stride_h) * xh + (rw.in + w[i] * stride_w) * xw;
    float16 sums[MOST * NV];
    DISPATCH_TILE(count, TILE_ARGUMENTS)
    FINISH(rd, rh, rw, 1, 1, 1)
  }
}
