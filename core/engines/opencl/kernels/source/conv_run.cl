// SPDX-License-Identifier: Apache-2.0
// Transposed convolution on devices that are like CPUs: a launch for each class of positions, which are the phases of the strides. The
// tiles are those of conv.cl. RUN_PARAMS say where the positions of an axis are, and their taps.
#define RUN_PARAMS(a)                                                                                                       \
  const long first_##a, const long every_##a, const long count_##a, const long in_##a, const long in_step_##a, const long k_##a, \
      const long k_every_##a, const long taps_##a, const long tap_step_##a

ENTRY(conv_run) global float* y, const long yo, Y_PARAMS, global const float* x, const long xo, X_PARAMS,  //
                     global const float* weights, const long weights_o, const long batch, RUN_PARAMS(d), RUN_PARAMS(h), RUN_PARAMS(w),
                     const long kernel_h, const long kernel_w, const long in_channels, const long out_channels,
                     const long k_count BIAS_PARAMS POST_PARAMS) {
  if (!live) return;
  const long block = G1, group = G2;
  const Run rd = {first_d, count_d, in_d, k_d, taps_d}, rh = {first_h, count_h, in_h, k_h, taps_h},
            rw = {first_w, count_w, in_w, k_w, taps_w};
  const long first = G0 * MOST, all = batch * count_d * count_h * count_w;
  if (first >= all) return;
  const int count = (int)min((long)MOST, all - first);
  const Steps xs = {in_d * xd + in_h * xh + in_w * xw, xn, in_step_d * xd, in_step_h * xh, in_step_w * xw};
  const Steps ys = {yo + first_d * yd + first_h * yh + first_w * yw, yn, every_d * yd, every_h * yh, every_w * yw};
  Place at = place_of(rd, rh, rw, first), each[MOST];
  long in_x[MOST], in_y[MOST];
  places(rd, rh, rw, xs, ys, count, &at, each, in_x, in_y);
  global const float* base = x + (xo + group * in_channels * xc);
  global const float* packed = weights + weights_o + (group * ((out_channels + COLUMNS - 1) / COLUMNS) + block) * k_count * COLUMNS;
  const long step_d = tap_step_d * xd, step_h = tap_step_h * xh, step_w = tap_step_w * xw;
  const long k_step_d = k_every_d * kernel_h * kernel_w, k_step_h = k_every_h * kernel_w, k_step_w = k_every_w;
  const long k_first = (k_d * kernel_h + k_h) * kernel_w + k_w;
  float16 sums[MOST * NV];
  DISPATCH_TILE(count, TILE_ARGUMENTS)
  FINISH(rd, rh, rw, every_d, every_h, every_w)
}
