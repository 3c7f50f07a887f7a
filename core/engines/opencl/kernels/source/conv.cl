// SPDX-License-Identifier: Apache-2.0
// Convolution on devices that are like CPUs: a work-item has `many` tiles of one class of positions (windows.cl), each of up to MOST
// positions by COLUMNS output channels of one group, and all of their sums. Weights are packed: group, block of COLUMNS channels,
// k, channel.
ENTRY(conv) global float* y, const long yo, Y_PARAMS, global const float* x, const long xo, X_PARAMS,          //
                 global const float* weights, const long weights_o, const long batch, AXIS_PARAMS(d), AXIS_PARAMS(h), AXIS_PARAMS(w),
                 const long in_channels, const long out_channels, const long k_count, const long many, const int blocks_first BIAS_PARAMS POST_PARAMS) {
  if (!live) return;
  const Axis ad = {out_d, in_d, kernel_d, stride_d, dilation_d, pad_d}, ah = {out_h, in_h, kernel_h, stride_h, dilation_h, pad_h},
             aw = {out_w, in_w, kernel_w, stride_w, dilation_w, pad_w};
  // Not by `?:`, which PoCL 3.1 makes a choice of the ids' addresses of, and cannot link.
  const long swap = (G0 - G1) * blocks_first, block = G1 + swap, tile = G0 - swap, group = G2;
  Tile found;
  if (!find_tile(ad, ah, aw, batch, MOST * many, tile, &found)) return;
  const Run rd = found.d, rh = found.h, rw = found.w;
  long first = found.first;
  const long end = min(first + MOST * many, batch * rd.count * rh.count * rw.count);
  global const float* base = x + (xo + group * in_channels * xc);
  global const float* packed = weights + weights_o + (group * ((out_channels + COLUMNS - 1) / COLUMNS) + block) * k_count * COLUMNS;
  const long taps_d = rd.taps, taps_h = rh.taps, taps_w = rw.taps;
  const long step_d = dilation_d * xd, step_h = dilation_h * xh, step_w = dilation_w * xw;
  const long k_step_d = kernel_h * kernel_w, k_step_h = kernel_w, k_step_w = 1;
  const long k_first = (rd.tap * kernel_h + rh.tap) * kernel_w + rw.tap;
  const Steps xs = {rd.in * xd + rh.in * xh + rw.in * xw, xn, stride_d * xd, stride_h * xh, stride_w * xw};
  const Steps ys = {yo + rd.out * yd + rh.out * yh + rw.out * yw, yn, yd, yh, yw};
  Place at = place_of(rd, rh, rw, first);
  for (; first < end; first += MOST) {
    const int count = (int)min((long)MOST, end - first);
    Place each[MOST];
    long in_x[MOST], in_y[MOST];
    places(rd, rh, rw, xs, ys, count, &at, each, in_x, in_y);
    float16 sums[MOST * NV];
    DISPATCH_TILE(count, TILE_ARGUMENTS)
    FINISH(rd, rh, rw, 1, 1, 1)
  }
}
